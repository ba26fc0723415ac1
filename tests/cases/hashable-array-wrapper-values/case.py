import functools
import numpy as np
import jax
import jax.numpy as jnp

class HashableArray:
    def __init__(self, val): self.val = val
    def __hash__(self): return int(self.val.sum() * 1000)
    def __eq__(self, other): return isinstance(other, HashableArray) and bool(np.all(self.val == other.val))

@functools.partial(jax.jit, static_argnames=["taps"])
def smooth(x, *, taps):
    return jnp.convolve(x, jnp.asarray(taps.val), mode="same")

sig = jnp.ones(16)
for k in range(4):
    smooth(sig, taps=HashableArray(np.array([k, 1.0, k], np.float32)))
