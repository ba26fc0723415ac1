import jax
@jax.jit
def draw(key): return jax.random.normal(key, (2,))
draw(jax.random.PRNGKey(0)); draw(jax.random.key(0)); draw(jax.random.key(1))
