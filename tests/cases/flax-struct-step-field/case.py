import flax, jax, jax.numpy as jnp

@flax.struct.dataclass
class State:
    params: dict
    step: int = flax.struct.field(pytree_node=False, default=0)

@jax.jit
def update(state, g):
    new = jax.tree.map(lambda p, d: p - 0.1 * d, state.params, g)
    return state.replace(params=new, step=state.step + 1)

s = State({"w": jnp.ones(3)})
for _ in range(5):
    s = update(s, {"w": jnp.ones(3)})
