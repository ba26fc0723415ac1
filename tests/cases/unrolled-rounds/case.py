import jax, jax.numpy as jnp
def relax(field, source):
    return 0.25 * (jnp.roll(field, 1) + jnp.roll(field, -1)) + 0.5 * source
@jax.jit
def solve(field, source):
    for _ in range(80):
        field = relax(field, source)
    return field
for _ in range(3): solve(jnp.ones(16), jnp.ones(16))
