"""Challenge: a sum of squares. The length decides a shape, the shift is only a number in the program."""

from functools import partial

import jax
import jax.numpy as jnp

PREDICTED_TRACES = 2  # one for each length


@partial(jax.jit, static_argnames="length")
def sum_of_squares(length, shift):
    return jnp.sum((jnp.arange(length) + shift) ** 2)
