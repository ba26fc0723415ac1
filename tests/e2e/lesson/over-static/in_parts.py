import functools

import jax
import jax.numpy as jnp


# says: written otherwise than the original's
# passes
def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


gradient = jax.jit(jax.grad(loss))


@functools.partial(jax.jit, static_argnums=4)
def update(params, g, eta, epoch, power):
    if power == 2:
        g = jax.tree.map(lambda v: v * jnp.abs(v), g)
    return jax.tree.map(lambda p, v: p - eta / (1.0 + epoch) * v, params, g)


def train_step(params, x, y, *, eta, epoch, power):
    return update(params, gradient(params, x, y), eta, epoch, power)
