import functools

import jax
import jax.numpy as jnp
import numpy as np

# says: you predicted 2 traces
# passes
PREDICTED_TRACES = np.int64(2)


@functools.partial(jax.jit, static_argnums=0)
def sum_of_squares(length, shift):
    v = jnp.arange(float(length)) + shift
    return v @ v
