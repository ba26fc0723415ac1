from functools import partial
import jax, jax.numpy as jnp

@partial(jax.jit, static_argnums=(1,))
def decay(w, rate=0.9): return w * rate

w = jnp.ones(3)
decay(w)
for r in (0.8, 0.7, 0.6): decay(w, r)
