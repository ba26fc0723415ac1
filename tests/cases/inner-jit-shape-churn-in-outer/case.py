import jax
import numpy as np
@jax.jit
def inner(x): return x.sum()
@jax.jit
def outer(xs): return sum(inner(x) for x in xs)
outer([np.ones(n, np.float32) for n in (2, 3, 4)])
