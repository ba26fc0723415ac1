import jax
import jax.numpy as jnp


# says: outside any jitted function
@jax.jit
def same(x):
    return x


def magnitudes(x):
    return jnp.abs(same(x))
