import jax
import numpy as np
COUNT = 0
SEEN = {"n": 0}
@jax.jit
def f(x):
    global COUNT
    COUNT += 1
    SEEN["n"] += 1
    return x * 2
for _ in range(5): f(np.ones(3, np.float32))
