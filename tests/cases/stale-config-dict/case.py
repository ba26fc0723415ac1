import jax
import numpy as np
CONFIG = {"rate": 0.1}
@jax.jit
def f(x): return x * CONFIG["rate"]
x = np.ones(3, np.float32)
f(x); CONFIG["rate"] = 0.5; f(x)
