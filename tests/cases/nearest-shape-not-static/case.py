import jax
import numpy as np
from functools import partial
@partial(jax.jit, static_argnums=1)
def s(x, n): return x * n
s(np.ones(3, np.float32), 1); s(np.ones(3, np.float32), 2); s(np.ones(4, np.float32), 1)
