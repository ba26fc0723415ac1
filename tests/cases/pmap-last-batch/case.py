from functools import partial
import jax, numpy as np

@partial(jax.pmap, axis_name="batch", devices=jax.devices()[:1])
def grads(w, x):
    return jax.lax.pmean((w * x).sum(), "batch")

w = np.ones((1, 3), np.float32)
for size in (8, 8, 6, 8, 4):
    grads(w, np.ones((1, size, 3), np.float32))
