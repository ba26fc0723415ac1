
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
def step(x): return x + 1
first, second = jax.jit(step), jax.jit(step, donate_argnums=0)
first(jnp.ones(3))
second(jnp.ones(3))
