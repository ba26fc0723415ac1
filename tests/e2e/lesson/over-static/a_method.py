import functools

import jax
import jax.numpy as jnp


# says: letter for letter
# passes
def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


class Trainer:
    @functools.partial(jax.jit, static_argnums=(0,), static_argnames="power")
    def step(self, params, x, y, *, eta, epoch, power):
        g = jax.grad(loss)(params, x, y)
        if power == 2:
            g = jax.tree_util.tree_map(lambda v: v * jnp.abs(v), g)
        return jax.tree_util.tree_map(lambda p, v: p - (eta / (1.0 + epoch)) * v, params, g)


train_step = Trainer().step
