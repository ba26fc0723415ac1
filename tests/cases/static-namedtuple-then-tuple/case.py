from collections import namedtuple
import jax, jax.numpy as jnp
Window = namedtuple("Window", "size stride")

def pool(x, window):
    return x[:: window[1]] * window[0]

pool = jax.jit(pool, static_argnums=1)
x = jnp.arange(6.0)
pool(x, Window(2, 3))
pool(x, (2, 3))
pool(x, Window(2, 3))
