
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@jax.jit
def mul(a): return a @ a
a = jnp.ones((2, 2))
for _ in range(2):
    mul(a)
    with jax.default_matmul_precision("highest"): mul(a)
