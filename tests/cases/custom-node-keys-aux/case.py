import jax
import numpy as np
@jax.tree_util.register_pytree_with_keys_class
class Box:
    def __init__(self, lo, hi, unit): self.lo, self.hi, self.unit = lo, hi, unit
    def tree_flatten_with_keys(self):
        k = jax.tree_util.GetAttrKey
        return [(k("lo"), self.lo), (k("hi"), self.hi)], self.unit
    @classmethod
    def tree_unflatten(cls, aux, kids): return cls(*kids, aux)
@jax.jit
def width(b): return b.hi - b.lo
x = np.ones(3, np.float32)
for u in ("m", "km", "mm"): width(Box(x, x, u))
