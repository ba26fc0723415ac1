"""Foundation: a reduction selected by a static mode.

`reduce(x, mode)` returns the sum, the mean or the maximum of `x` for the modes "sum", "mean" and "max", and raises
ValueError for any other. It is jitted. The mode selects a program; the values of `x` are data.
"""

import jax
import jax.numpy as jnp


@jax.jit
def reduce(x, mode):
    if mode == "sum":
        return jnp.sum(x)
    ...
