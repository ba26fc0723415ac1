import jax
import numpy as np
@jax.jit
def run(fn, x): return fn(x)
for _ in range(3): run(jax.tree_util.Partial(lambda x: x + 1), np.ones(3, np.float32))
