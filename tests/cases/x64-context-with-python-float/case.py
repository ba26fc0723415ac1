import jax
import numpy as np
enable_x64 = getattr(jax, "enable_x64", None)
if enable_x64 is None: from jax.experimental import enable_x64
@jax.jit
def f(x, s): return x * s
x = np.ones(3, np.float32)
f(x, 2.0)
with enable_x64(True): f(x, 2.0)
