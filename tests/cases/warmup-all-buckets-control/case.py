import jax
import numpy as np
@jax.jit
def f(x): return (x * 2).sum()
for n in (4, 8, 16): f(np.ones(n, np.float32))
for i in range(90): f(np.ones((4, 8, 16)[i % 3], np.float32))
