import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@partial(jax.jit, static_argnames="n")
def rep(x, n): return jnp.tile(x, n)
x = np.ones(2, np.float32)
rep(x, n=3); rep(x, n=np.int64(3)); rep(x, n=3)
