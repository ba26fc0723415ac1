from functools import partial
import jax, jax.numpy as jnp

@partial(jax.jit, static_argnums=1)
def tree_sum(x, depth):
    if depth == 0:
        return x.sum()
    half = x.shape[0] // 2
    return tree_sum(x[:half], depth - 1) + tree_sum(x[half:], depth - 1)

for _ in range(12):
    tree_sum(jnp.ones(16), 3)
