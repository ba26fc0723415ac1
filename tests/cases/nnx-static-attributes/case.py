import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.act = jnp.tanh

    def __call__(self, x):
        return self.act(self.dropout(self.linear(x)))


@nnx.jit
def forward(block, x):
    return block(x)


block, x = Block(nnx.Rngs(0)), jnp.ones((3, 2))
forward(block, x)
block.eval()
forward(block, x)
block.act = lambda v: v * 2
forward(block, x)
block.act = lambda v: v * 2
forward(block, x)
