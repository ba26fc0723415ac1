import jax, jax.numpy as jnp
@jax.jit
def grow(x):
    for _ in range(180):
        x = jnp.concatenate([x, x[-1:] * 0.5])
    return x
for _ in range(3): grow(jnp.ones(2))
