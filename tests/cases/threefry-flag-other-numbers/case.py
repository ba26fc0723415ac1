"""The same random numbers are drawn by two programs, according to a flag."""
import jax
import jax.numpy as jnp

@jax.jit
def draw(key): return jax.random.normal(key, (4,))

key = jax.random.key(0)
a = draw(key)
with jax.threefry_partitionable(False):
    b = draw(key)
print(bool(jnp.all(a == b)))
