from functools import partial
from typing import Callable

import flax.linen as nn
import jax
import jax.numpy as jnp


class MLP(nn.Module):
    features: int
    act: Callable = nn.relu

    @nn.compact
    def __call__(self, x):
        return self.act(nn.Dense(self.features)(x))


@partial(jax.jit, static_argnums=0)
def forward(model, params, x):
    return model.apply(params, x)


x = jnp.ones((1, 2))
params = MLP(4).init(jax.random.key(0), x)
for _ in range(3):
    forward(MLP(4), params, x)
for _ in range(3):
    forward(MLP(4, act=lambda v: v * 2), params, x)
