import jax
import numpy as np
from flax import nnx
import optax
def build():
    m = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    return m, nnx.Optimizer(m, optax.adam(1e-3), wrt=nnx.Param)
@nnx.jit
def train(m, opt, x):
    g = nnx.grad(lambda m: (m(x) ** 2).sum())(m)
    opt.update(m, g)
for _ in range(3):
    m, opt = build()
    train(m, opt, np.ones((1, 2), np.float32))
