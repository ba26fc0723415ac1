import jax
import numpy as np


# says: the gradient of its sum
@jax.jit
def magnitudes(x):
    return jax.pure_callback(np.abs, x, x)
