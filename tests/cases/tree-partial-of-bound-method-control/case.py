import jax, jax.numpy as jnp
from jax.tree_util import Partial

class Potential:
    def __init__(self, k): self.k = k
    def energy(self, x): return self.k * (x ** 2).sum()

@jax.jit
def descend(energy, x): return x - 0.1 * jax.grad(energy)(x)

p = Potential(3.0)
x = jnp.ones(2)
for _ in range(12): x = descend(Partial(p.energy), x)
