"""Each run's callback multiplies by its own number: the jaxprs print alike, the programs do not do alike."""
import jax
import numpy as np

def make(scale):
    def host(a): return np.asarray(a * scale, np.float32)
    @jax.jit
    def run(x):
        return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return run

x = np.ones(3, np.float32)
print([float(make(scale)(x).sum()) for scale in (1.0, 2.0, 3.0)])
