import jax
import numpy as np
def body(c, x): return c + x, c
for n in (3, 4, 5, 6): jax.lax.scan(body, np.float32(0), np.ones(n, np.float32))
