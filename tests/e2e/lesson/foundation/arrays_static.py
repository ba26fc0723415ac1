import functools

import jax
import jax.numpy as jnp


# says: arrays have no hash
@functools.partial(jax.jit, static_argnames=("x", "mode"))
def reduce(x, mode):
    if mode not in ("sum", "mean", "max"):
        raise ValueError(mode)
    return getattr(jnp, mode)(x)
