
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
for limit in (3, 4, 5): jax.lax.while_loop(lambda c: c < limit, lambda c: c + 1, jnp.int32(0))
