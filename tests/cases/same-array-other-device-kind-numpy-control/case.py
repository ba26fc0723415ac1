
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@jax.jit
def add(x): return x + 1
for _ in range(5):
    add(np.ones(3, np.float32))
    add(jnp.ones(3))
