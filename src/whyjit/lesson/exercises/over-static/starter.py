"""An over-static training step, to repair.

`train_step` is called twelve times with a decaying `eta`, the number of the epoch, and `power`, which is 1 for the
first six epochs and 2 afterwards. It is traced twelve times. Which of the three selects a program, and which are
numbers in it? Repair it so that the results stay the same and two traces remain.
"""

from functools import partial

import jax
import jax.numpy as jnp


def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@partial(jax.jit, static_argnames=("eta", "epoch", "power"))
def train_step(params, x, y, *, eta, epoch, power):
    gradient = jax.grad(loss)(params, x, y)
    scale = eta / (1.0 + epoch)
    if power == 2:
        gradient = jax.tree.map(lambda g: g * jnp.abs(g), gradient)
    return jax.tree.map(lambda p, g: p - scale * g, params, gradient)
