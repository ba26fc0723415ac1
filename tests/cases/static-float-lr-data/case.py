import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@partial(jax.jit, static_argnums=2)
def sgd(w, g, lr): return w - lr * g
w = jnp.ones(3)
for i in range(5): w = sgd(w, np.ones(3, np.float32), 0.1 / (i + 1))
