import jax
import numpy as np

def run_once(x):
    @jax.jit
    def run(x):
        return jax.pure_callback(lambda a: np.asarray(a * 2), jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return run(x)

for _ in range(3): run_once(np.ones(3, np.float32))
