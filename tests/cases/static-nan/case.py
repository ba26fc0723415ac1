import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@partial(jax.jit, static_argnames="fill")
def pad(x, fill): return jnp.where(x > 0, x, fill)
x = np.ones(2, np.float32)
for _ in range(3): pad(x, fill=float("nan"))
