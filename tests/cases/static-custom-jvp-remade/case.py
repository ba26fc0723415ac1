from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnums=0)
def forward(act, x):
    return act(x)


def made():
    @jax.custom_jvp
    def act(x):
        return jnp.tanh(x)

    act.defjvp(lambda primals, tangents: (act(primals[0]), tangents[0]))
    return act


for _ in range(3):
    forward(made(), jnp.ones(2))
