import equinox as eqx
import jax, jax.numpy as jnp
import numpy as np
class Source(eqx.Module):
    flux: jax.Array
    x: int
@eqx.filter_jit
def render(s): return s.flux * 2
for i in range(4): render(Source(jnp.ones(3), i))
