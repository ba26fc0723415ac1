import functools

import jax
import jax.numpy as jnp


# says: mode='median'
@functools.partial(jax.jit, static_argnames="mode")
def reduce(x, mode):
    return {"sum": jnp.sum, "mean": jnp.mean}.get(mode, jnp.max)(x)
