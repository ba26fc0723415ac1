import jax
import numpy as np
tries = []
@jax.jit
def f(x):
    tries.append(1)
    if len(tries) < 3: raise RuntimeError("not ready")
    return x * 2
for _ in range(3):
    try: f(np.ones(3, np.float32))
    except RuntimeError: pass
