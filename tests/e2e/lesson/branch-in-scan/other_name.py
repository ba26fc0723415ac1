import jax
import jax.numpy as jnp

# says: the ledger shows 2 traces
# passes
from jax.lax import scan as fold


@jax.jit
def water_level(rain):
    return fold(lambda level, a: (jnp.where(level < 1, level + a, level / 2), None), 0.0, rain)[0]
