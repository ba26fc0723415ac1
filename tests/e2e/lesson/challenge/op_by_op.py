import jax
import jax.numpy as jnp

# says: outside any jitted function
PREDICTED_TRACES = 1


@jax.jit
def same(x):
    return x


def sum_of_squares(length, shift):
    return jnp.sum((jnp.arange(length) + same(shift)) ** 2)
