import jax, numpy as np
def f(a): return a + 1
for i in range(12):
    jax.pmap(f)(np.ones((1, 3), np.float32))
