
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
import optax
@partial(jax.jit, static_argnames="tx")
def step(w, state, tx): return tx.update(w, state)
for _ in range(3):
    tx = optax.sgd(0.1)
    step(jnp.ones(2), tx.init(jnp.ones(2)), tx=tx)
