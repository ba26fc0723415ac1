import jax
import numpy as np
import dataclasses
@jax.tree_util.register_static
@dataclasses.dataclass(eq=False)
class Tag:
    n: int
@jax.jit
def f(t, x): return x * 2
for _ in range(3): f(Tag(1), np.ones(3, np.float32))
