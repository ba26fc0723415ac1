"""Fitting a line with optax: the transformation is static, and made anew for each learning rate."""

import functools

import jax
import jax.numpy as jnp
import optax

traced = []


@functools.partial(jax.jit, static_argnames="optimizer")
def step(params, state, x, y, optimizer):
    traced.append("step")

    def loss_of(params):
        return jnp.mean((x * params["slope"] + params["offset"] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    updates, state = optimizer.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


x = jnp.linspace(0, 1, 32)
y = 3 * x + 1
for rate in (0.1, 0.05, 0.01):
    optimizer = optax.sgd(rate, momentum=0.9)
    params = {"slope": jnp.array(0.0), "offset": 0.0}
    state = optimizer.init(params)
    for _ in range(10):
        params, state, loss = step(params, state, x, y, optimizer)
print("traced", *traced)
