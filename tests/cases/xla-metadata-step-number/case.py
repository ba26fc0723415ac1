import jax
import jax.numpy as jnp
from jax.experimental.xla_metadata import set_xla_metadata

@jax.jit
def layer(x):
    return jnp.tanh(x) * 2

x = jnp.ones(4)
for step in range(4):
    with set_xla_metadata(step=str(step)):
        layer(x)
