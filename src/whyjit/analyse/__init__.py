"""What a recording means: pure functions from recordings to causes and findings. JAX need not be installed."""
