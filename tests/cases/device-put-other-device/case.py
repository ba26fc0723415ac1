import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
@jax.jit
def f(x): return x * 2
x = np.ones(4, np.float32)
for d in jax.devices(): f(jax.device_put(x, d))
