import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((4,), ("d",))
@jax.jit
def f(x): return x * 2
x = np.ones(4, np.float32)
f(x)
use = getattr(jax, "set_mesh", None) or jax.sharding.use_mesh
with use(mesh): f(x)
