
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
for _ in range(4): jax.jit(jax.vmap(lambda row: row.sum()))(jnp.ones((3, 2)))
