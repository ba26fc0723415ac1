import jax
import jax.numpy as jnp


# says: a Python loop over the elements
@jax.jit
def magnitudes(x):
    return jnp.stack([abs(v) for v in x])
