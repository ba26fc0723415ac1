import jax, jax.numpy as jnp, numpy as np

@jax.jit
def logits(tokens): return jnp.cumsum(tokens)[-1]

def decode(prompt, steps):
    tokens = list(prompt)
    for _ in range(steps):
        yield int(logits(np.asarray(tokens, np.int32)))
        tokens.append(1)

print(list(decode([3, 1], 6)))
