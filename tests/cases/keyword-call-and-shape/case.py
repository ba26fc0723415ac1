import jax
import numpy as np
@jax.jit
def f(a, b): return a.sum() + b.sum()
f(np.ones(3, np.float32), np.ones(3, np.float32)); f(b=np.ones(5, np.float32), a=np.ones(3, np.float32))
