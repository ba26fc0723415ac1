"""A branch on data inside a scan.

`water_level(rain)` follows the level of a cistern: each step adds the rain, unless the level has reached 1, when
half of it is let out instead. The decision hangs on a value that the program computes, at every step. Repair it,
and keep the scan.
"""

import jax
import jax.numpy as jnp


@jax.jit
def water_level(rain):
    def step(level, amount):
        if level < 1.0:
            level = level + amount
        else:
            level = 0.5 * level
        return level, None

    level, _ = jax.lax.scan(step, 0.0, rain)
    return level
