import functools

import jax
import jax.numpy as jnp


# says: line 8 raises SyntaxError when it is loaded
def magnitudes(x)
    return x
