import jax
import numpy as np
def f(x): return (x * 2).sum()
g = jax.jit(f)
compiled = {n: g.lower(np.ones(n, np.float32)).compile() for n in (4, 8, 16, 32)}
for n in compiled:
    for _ in range(20): compiled[n](np.ones(n, np.float32))
