"""flax linen with optax's TrainState; the state is made anew, with its own apply function, for each fold."""

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


class Model(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(nn.relu(nn.Dense(self.width)(x)))


traced = []


@jax.jit
def train_step(state, x, y):
    traced.append("train_step")

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


data = jax.random.normal(jax.random.key(1), (48, 8))
labels = jnp.zeros(48, int)
for fold in range(3):
    model = Model(16)
    params = model.init(jax.random.key(fold), data[:1])["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    for start in range(0, 48, 16):
        state, loss = train_step(state, data[start : start + 16], labels[start : start + 16])
print("traced", *traced)
