import jax
import numpy as np
def make(target):
    return jax.jit(lambda w: ((w - target) ** 2).sum())
w = np.ones(3, np.float32)
for k in range(4): make(np.full(3, k, np.float32))(w)
