
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@jax.jit
def step(w, m):
    m = 0.9 * m + w
    return w - jnp.float32(0.1) * m, m * jnp.ones((), jnp.float32)
w, m = 1.0, 0.0
for _ in range(6): w, m = step(w, m)
