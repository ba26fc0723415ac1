import jax.numpy as jnp


# says: nothing in it is jitted
def reduce(x, mode):
    if mode not in ("sum", "mean", "max"):
        raise ValueError(mode)
    return getattr(jnp, mode)(x)
