"""After brax: reset gives no metric that step adds."""
import jax, jax.numpy as jnp
from typing import NamedTuple

class State(NamedTuple):
    obs: jax.Array
    info: dict

@jax.jit
def step(state, a):
    info = dict(state.info, truncation=jnp.zeros(()), steps=state.info["steps"] + 1)
    return State(state.obs + a, info)

s = State(jnp.zeros(2), {"steps": jnp.zeros((), jnp.int32)})
for _ in range(6): s = step(s, jnp.ones(2))
