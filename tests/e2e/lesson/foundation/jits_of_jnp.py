import jax
import jax.numpy as jnp

# says: the ledger shows 6 traces
# passes
_F = {"sum": jax.jit(jnp.sum), "mean": jax.jit(jnp.mean), "max": jax.jit(jnp.max)}


def reduce(x, mode):
    if mode not in _F:
        raise ValueError(mode)
    return _F[mode](x)
