import jax
import numpy as np
class Layer:
    def __init__(self, k): self.k = k
    def __call__(self, x): return x * self.k
for _ in range(4): jax.jit(Layer(3.0))(np.ones(3, np.float32))
