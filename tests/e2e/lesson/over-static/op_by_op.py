import jax
import jax.numpy as jnp


# says: outside any jitted function
def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@jax.jit
def nothing(x):
    return x


def train_step(params, x, y, *, eta, epoch, power):
    g = jax.grad(loss)(nothing(params), x, y)
    if power == 2:
        g = jax.tree.map(lambda v: v * jnp.abs(v), g)
    return jax.tree.map(lambda p, v: p - eta / (1.0 + epoch) * v, params, g)
