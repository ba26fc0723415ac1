"""The default holds in one call, another value is given in the next: the value decides, not the form."""
from functools import partial
import jax, jax.numpy as jnp

@partial(jax.jit, static_argnames=("mode",))
def forward(x, mode="relu"):
    return jnp.maximum(x, 0.0) if mode == "relu" else jnp.tanh(x)

x = jnp.ones(8)
for _ in range(3):
    forward(x)
    forward(x, mode="tanh")
