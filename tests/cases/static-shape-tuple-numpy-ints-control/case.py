"""(3, 4) of Python ints, of an array's shape, and of NumPy ints are equal tuples with equal hashes."""
from functools import partial
import jax, jax.numpy as jnp, numpy as np

@partial(jax.jit, static_argnames="shape")
def blank(v, shape):
    return jnp.full(shape, v)

a = np.zeros((3, 4))
for _ in range(4):
    blank(1.0, shape=(3, 4))
    blank(1.0, shape=a.shape)
    blank(1.0, shape=tuple(np.array([3, 4])))
