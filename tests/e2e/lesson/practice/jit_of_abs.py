import jax
import jax.numpy as jnp

# says: the ledger shows 2 traces
# passes
magnitudes = jax.jit(jnp.abs)
