
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
@jax.jit
def total(d): return d["a"] + d["b"]
total({"a": jnp.ones(3), "b": jnp.ones(3)})
total({"b": jnp.ones(3), "a": jnp.ones(3)})
