
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
from typing import NamedTuple
class Pair(NamedTuple):
    a: object
    b: object
@jax.jit
def total(p): return p[0] + p[1]
total((jnp.ones(3), jnp.ones(3)))
total(Pair(jnp.ones(3), jnp.ones(3)))
