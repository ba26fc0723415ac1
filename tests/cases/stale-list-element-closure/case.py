import jax
import numpy as np
def build():
    box = [1.0]
    @jax.jit
    def f(x): return x * box[0]
    return f, box
f, box = build()
x = np.ones(3, np.float32)
f(x); box[0] = 2.0; f(x)
