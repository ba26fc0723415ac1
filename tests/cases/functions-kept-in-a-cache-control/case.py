
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
import functools
@functools.lru_cache
def maker(power): return jax.jit(lambda x: x ** power)
for _ in range(15):
    for power in (2, 3): maker(power)(jnp.ones(3))
