import jax, jax.numpy as jnp

weights = [1.0]

@jax.jit
def score(x): return sum(w * x for w in weights)

for k in range(4):
    score(jnp.float32(2.0))
    weights.append(1.0)
