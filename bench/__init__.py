"""What recording costs, measured against bare JAX and against the tools people use today: `python -m bench.run`."""
