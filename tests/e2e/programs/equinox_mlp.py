"""A small classifier in equinox, trained by filter_jit; a hyperparameter is a field of the model."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Classifier(eqx.Module):
    layers: list
    dropout: float

    def __init__(self, key):
        first, second = jax.random.split(key)
        self.layers = [eqx.nn.Linear(8, 16, key=first), eqx.nn.Linear(16, 3, key=second)]
        self.dropout = 0.5

    def __call__(self, x):
        return self.layers[1](jax.nn.relu(self.layers[0](x)) * (1 - self.dropout))


@eqx.filter_value_and_grad
def loss_of(model, x, y):
    logits = jax.vmap(model)(x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


optimizer = optax.adam(1e-3)


traced = []


@eqx.filter_jit
def step(model, state, x, y):
    traced.append("step")
    loss, grads = loss_of(model, x, y)
    updates, state = optimizer.update(grads, state)
    return eqx.apply_updates(model, updates), state, loss


@eqx.filter_jit
def evaluate(model, x):
    traced.append("evaluate")
    return jax.vmap(model)(x).argmax(axis=1)


model = Classifier(jax.random.key(0))
state = optimizer.init(eqx.filter(model, eqx.is_array))
data = jax.random.normal(jax.random.key(1), (50, 8))
labels = jnp.zeros(50, int)
for epoch in range(3):
    model = eqx.tree_at(lambda m: m.dropout, model, 0.1 * (epoch + 1))
    for start in range(0, 50, 16):  # the last batch has two rows
        model, state, loss = step(model, state, data[start : start + 16], labels[start : start + 16])
    evaluate(model, data)
print("traced", *traced)
