
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@jax.jit
def add(a, b): return a - b
add(a=jnp.ones(3), b=jnp.zeros(3))
add(b=jnp.zeros(3), a=jnp.ones(3))
