import jax
import jax.numpy as jnp


# says: written otherwise than the original's
# passes
def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@jax.jit
def plain(params, x, y, scale):
    return jax.tree.map(lambda p, g: p - scale * g, params, jax.grad(loss)(params, x, y))


@jax.jit
def squared(params, x, y, scale):
    return jax.tree.map(lambda p, g: p - scale * g * abs(g), params, jax.grad(loss)(params, x, y))


def train_step(params, x, y, *, eta, epoch, power):
    return (squared if power == 2 else plain)(params, x, y, eta / (1.0 + epoch))
