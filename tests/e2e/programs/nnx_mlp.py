"""A small model in flax nnx, trained by nnx.jit; the optimizer is made anew at each epoch."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(8, 16, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)
        self.second = nnx.Linear(16, 3, rngs=rngs)

    def __call__(self, x):
        return self.second(self.drop(nnx.relu(self.first(x))))


traced = []


@nnx.jit
def train_step(model, optimizer, x, y):
    traced.append("train_step")

    def loss_fn(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def predict(model, x):
    traced.append("predict")
    return model(x).argmax(axis=1)


model = Model(nnx.Rngs(0))
data = jax.random.normal(jax.random.key(1), (50, 8))
labels = jnp.zeros(50, int)
for _ in range(2):
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    for start in range(0, 50, 16):
        loss = train_step(model, optimizer, data[start : start + 16], labels[start : start + 16])
    model.eval()
    predict(model, data)
    model.train()
print("traced", *traced)
