"""A jitted loss that a jitted step differentiates with a list of arrays, and that is called alone with a tuple."""

import jax
import jax.numpy as jnp

traced = []


@jax.jit
def loss(w, batch):
    traced.append("loss")
    x, y = batch
    return jnp.mean((x @ w - y) ** 2)


@jax.jit
def make_step(w, data):
    traced.append("make_step")
    x, *rest = data
    return w - 0.1 * jax.grad(loss)(w, [x, *rest])


w = jnp.ones(3)
x, y = jnp.ones((8, 3)), jnp.ones(8)
for _ in range(4):
    w = make_step(w, (x, y))
loss(w, (jnp.ones((32, 3)), jnp.ones(32)))  # the only compile of `loss` itself: nothing makes it needless
print("bodies", *traced)
