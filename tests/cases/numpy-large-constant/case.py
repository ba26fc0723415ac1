import jax, jax.numpy as jnp
import numpy as np
TABLE = np.ones((512, 512), np.float32)
@jax.jit
def look(i): return jnp.asarray(TABLE)[i]
look(1); look(2)
