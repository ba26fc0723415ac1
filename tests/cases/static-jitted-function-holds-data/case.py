
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@partial(jax.jit, static_argnames="loss")
def descend(w, loss): return w - loss(w)
def problem(n):
    data = jnp.ones(n)
    return jax.jit(lambda w: (w * data).sum())
for n in (3, 4, 5): descend(jnp.float32(1), loss=problem(n))
