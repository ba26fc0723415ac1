"""The simulation's clock sits in the metadata of a pytree class."""
import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
class World:
    def __init__(self, pos, clock):
        self.pos, self.clock = pos, clock

    def tree_flatten(self):
        return (self.pos,), (self.clock,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)


@jax.jit
def advance(world):
    return World(world.pos + 0.1, world.clock)


w = World(jnp.zeros(3), 0.0)
for _ in range(5):
    w = advance(w)
    w.clock += 0.1
