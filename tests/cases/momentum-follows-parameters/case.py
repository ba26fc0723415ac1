
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@jax.jit
def step(w, m): return w - 0.1 * m - jnp.float32(0), m * 0.9 + w
w, m = 1.0, 0.0
for _ in range(6): w, m = step(w, m)
