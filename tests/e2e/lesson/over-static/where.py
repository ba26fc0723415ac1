import jax
import jax.numpy as jnp


# says: written otherwise than the original's
# passes
def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@jax.jit
def train_step(params, x, y, *, eta, epoch, power):
    g = jax.grad(loss)(params, x, y)
    scale = eta / (1.0 + epoch)
    return jax.tree.map(lambda p, g: p - scale * jnp.where(power == 2, g * jnp.abs(g), g), params, g)
