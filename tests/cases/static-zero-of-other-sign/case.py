
import jax, jax.numpy as jnp
from functools import partial
@partial(jax.jit, static_argnames="shift")
def slope(x, shift): return x / shift
@partial(jax.jit, static_argnums=1)
def pair(x, limits): return x / limits[0]
x = jnp.ones(())
# measured: the calls with 0.0 return -inf, the answer of -0.0
for shift in (-0.0, 0.0, 0.0): slope(x, shift=shift)
for limits in ((0.0, 1.0), (-0.0, 1.0)): pair(x, limits)
