import equinox as eqx
import jax
import numpy as np
for _ in range(3):
    eqx.filter_jit(lambda x: x * 2)(np.ones(3, np.float32))
