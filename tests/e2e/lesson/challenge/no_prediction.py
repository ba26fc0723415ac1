import functools

import jax
import jax.numpy as jnp

# says: write your prediction
PREDICTED_TRACES = None


@functools.partial(jax.jit, static_argnums=0)
def sum_of_squares(length, shift):
    return jnp.sum((jnp.arange(length) + shift) ** 2)
