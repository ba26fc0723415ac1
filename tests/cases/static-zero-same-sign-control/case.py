
import jax, jax.numpy as jnp
from functools import partial
@partial(jax.jit, static_argnames="rate")
def drop(x, rate): return x * (1 - rate)
x = jnp.ones(3)
for _ in range(30): drop(x, rate=0.0)
for _ in range(30): drop(x, rate=0.5)
for _ in range(30): drop(x, rate=0.0)
