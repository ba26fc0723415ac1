"""Neither logging nor a transfer guard nor a named scope is in a key."""
import jax, jax.numpy as jnp

@jax.jit
def f(x): return x * 2

x = jnp.ones(3)
for i in range(4):
    f(x)
    with jax.log_compiles(): f(x)
    with jax.transfer_guard("log"): f(x)
    with jax.named_scope(f"step_{i}"): f(x)
