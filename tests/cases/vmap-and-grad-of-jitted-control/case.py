import jax
import numpy as np
@jax.jit
def f(x): return (x ** 2).sum()
x = np.ones(3, np.float32)
for _ in range(4):
    f(x); jax.grad(f)(x); jax.vmap(f)(np.ones((2, 3), np.float32))
