import jax
import jax.numpy as jnp


# says: the scan is gone
@jax.jit
def water_level(rain):
    level = 0.0
    for amount in rain:
        level = jnp.where(level < 1.0, level + amount, 0.5 * level)
    return level
