"""An equinox module whose learning rate is a Python float: filter_jit makes it static."""
import dataclasses
import equinox as eqx, jax, jax.numpy as jnp

class Sgd(eqx.Module):
    lr: float
    def __call__(self, w, g): return w - self.lr * g

@eqx.filter_jit
def update(opt, w, g): return opt(w, g)

w = jnp.ones(3)
for epoch in range(4):
    w = update(Sgd(0.1 / (1 + epoch)), w, w)
