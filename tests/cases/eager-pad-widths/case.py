import jax
import jax.numpy as jnp
import numpy as np

@jax.jit
def score(tokens):
    return tokens.sum()

for n in (3, 5, 6, 7):
    tokens = jnp.asarray(np.ones(n, np.int32))
    padded = jnp.pad(tokens, (0, 8 - n))
    score(padded)
