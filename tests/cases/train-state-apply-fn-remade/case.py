import jax, jax.numpy as jnp
import numpy as np
from flax.training import train_state
import optax
def build():
    return train_state.TrainState.create(apply_fn=lambda p, x: x @ p["w"], params={"w": jnp.ones(3)}, tx=optax.sgd(0.1))
@jax.jit
def step(s, x):
    g = jax.grad(lambda p: s.apply_fn(p, x).sum())(s.params)
    return s.apply_gradients(grads=g)
for _ in range(3): step(build(), np.ones((2, 3), np.float32))
