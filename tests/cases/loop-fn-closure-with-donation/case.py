import jax, jax.numpy as jnp
from jax import lax

def fori_collect(lower, upper, body, init):
    def loop_fn(val):
        return lax.fori_loop(lower, upper, lambda i, v: body(v), val)
    return jax.jit(loop_fn, donate_argnums=0)(init)

def step(state):
    return {"q": state["q"] * 0.5, "n": state["n"] + 1}

for run in range(4):
    out = fori_collect(0, 10, step, {"q": jnp.ones(3), "n": jnp.int32(0)})
