import jax
import numpy as np
class Op:
    @staticmethod
    def apply(x): return x * 2
for _ in range(4): jax.jit(Op.apply)(np.ones(3, np.float32))
