"""Parameters start on one device; the step returns them replicated over the mesh."""
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("d",))

@jax.jit
def step(w, x): return w - 0.1 * (x * w).mean(0)

w = jnp.ones(3)
for _ in range(5):
    x = jax.device_put(np.ones((4, 3), np.float32), NamedSharding(mesh, P("d")))
    w = step(w, x)
