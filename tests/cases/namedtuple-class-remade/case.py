import jax
import numpy as np
from collections import namedtuple
@jax.jit
def f(s): return s.a + s.b
x = np.ones(3, np.float32)
for _ in range(3):
    S = namedtuple("S", "a b")
    f(S(x, x))
