import jax
import jax.numpy as jnp


# says: each call made a new function object
def reduce(x, mode):
    if mode not in ("sum", "mean", "max"):
        raise ValueError(mode)
    return jax.jit(lambda x: getattr(jnp, mode)(x))(x)
