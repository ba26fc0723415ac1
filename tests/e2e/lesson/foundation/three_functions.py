import jax
import jax.numpy as jnp


# says: the ledger shows 6 traces
# passes
@jax.jit
def _sum(x):
    return jnp.sum(x)


@jax.jit
def _mean(x):
    return jnp.mean(x)


@jax.jit
def _max(x):
    return jnp.max(x)


def reduce(x, mode):
    try:
        f = {"sum": _sum, "mean": _mean, "max": _max}[mode]
    except KeyError:
        raise ValueError(mode) from None
    return f(x)
