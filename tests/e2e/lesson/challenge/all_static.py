import functools

import jax
import jax.numpy as jnp

# says: you predicted 4 traces, and the ledger shows 4
# passes
PREDICTED_TRACES = 4


@functools.partial(jax.jit, static_argnums=(0, 1))
def sum_of_squares(length, shift):
    return jnp.sum((jnp.arange(length) + shift) ** 2)
