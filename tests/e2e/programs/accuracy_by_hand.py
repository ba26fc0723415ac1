"""A classifier whose accuracy is computed op by op, over several lines of one function, for two sizes of data."""

import jax.numpy as jnp


def predict(w, x):
    hidden = jnp.tanh(x @ w + 1.0)
    scaled = jnp.maximum(hidden, 0.5) * 2.0 - 1.0
    return scaled - jnp.max(scaled, axis=1, keepdims=True)


w = jnp.ones((3, 2))
for size in (8, 5, 7):
    logits = predict(w, jnp.ones((size, 3)))
print("shape", logits.shape)
