"""Practice: elementwise absolute value of a vector whose values stay data.

`magnitudes(x)` returns |x| for each element. This version asks Python about a value that is only known when the program
runs. Repair it without making anything static, and without a loop over the elements.
"""

import jax
import jax.numpy as jnp


@jax.jit
def magnitudes(x):
    if x < 0:
        return -x
    return x
