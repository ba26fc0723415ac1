# says: line 11 reads the time
# passes
import time

import jax
import jax.numpy as jnp


@jax.jit
def magnitudes(x):
    started = time.perf_counter()
    print("traced in", time.perf_counter() - started)
    return jnp.abs(x)
