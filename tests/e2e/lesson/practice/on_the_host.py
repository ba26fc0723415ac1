import jax
import numpy as np


# says: no program of JAX's has computed it
@jax.jit
def same(x):
    return x


def magnitudes(x):
    return np.abs(np.asarray(same(x)))
