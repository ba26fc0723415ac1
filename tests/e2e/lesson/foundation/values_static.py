import functools

import jax
import jax.numpy as jnp


# says: Everything static
@functools.partial(jax.jit, static_argnames=("x", "mode"))
def reduced(x, mode):
    if mode not in ("sum", "mean", "max"):
        raise ValueError(mode)
    return getattr(jnp, mode)(jnp.array(x))


def reduce(x, mode):
    return reduced(tuple(x.tolist()), mode)
