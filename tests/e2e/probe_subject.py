"""A function under experiment that lives in a module."""

import jax


@jax.jit
def double(x):
    return x * 2
