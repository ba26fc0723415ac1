import jax
import jax.numpy as jnp

# says: the scan is gone
scan = None


@jax.jit
def water_level(rain):
    level = jnp.float32(0)
    for k in range(rain.shape[0]):
        level = jnp.where(level < 1, level + rain[k], level / 2)
    return level
