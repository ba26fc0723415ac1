
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
from collections import OrderedDict as O
@jax.jit
def total(d): return d["a"] + d["b"]
total(O(a=jnp.ones(3), b=jnp.ones(3)))
total(O(b=jnp.ones(3), a=jnp.ones(3)))
