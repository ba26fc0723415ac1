import jax, jax.numpy as jnp
import numpy as np
import optax
opt = optax.adamw(optax.cosine_decay_schedule(1e-3, 10))
p = {"w": jnp.ones(3)}; s = opt.init(p)
@jax.jit
def train(p, s, x):
    g = jax.grad(lambda p: ((x @ p["w"]) ** 2).sum())(p)
    u, s = opt.update(g, s, p)
    return optax.apply_updates(p, u), s
for _ in range(12): p, s = train(p, s, np.ones((2, 3), np.float32))
