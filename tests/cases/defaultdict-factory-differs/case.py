import jax
import numpy as np
from collections import defaultdict
@jax.jit
def f(p): return p["a"] + p["b"]
x = np.ones(3, np.float32)
f(defaultdict(int, {"a": x, "b": x})); f(defaultdict(list, {"a": x, "b": x}))
