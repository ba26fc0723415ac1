"""Vectors of mixed sign and one shape, one after the other; then a longer one, and the gradient."""

import jax
import jax.numpy as jnp
import numpy as np

NAMES = ["magnitudes"]
VECTORS = ([1.0, -2.0, 3.0, -4.0], [-1.0, 2.0, -3.0, 4.0], [0.0, -0.5, 0.5, -8.0], [7.0, 6.0, -5.0, -4.0])


def trial(answer, checks):
    for number, values in enumerate(VECTORS, 1):
        x = np.array(values, np.float32)
        what = f"magnitudes(x), vector {number}"
        checks.equal(what, lambda: answer.magnitudes(jnp.asarray(x)), np.abs(x), group="4")
    longer = np.linspace(-2.0, 3.0, 12, dtype=np.float32)
    checks.equal("magnitudes(x), 12 values", lambda: answer.magnitudes(jnp.asarray(longer)), np.abs(longer), group="12")
    some = jnp.asarray(VECTORS[0], jnp.float32)
    slope = jax.grad(lambda x: jnp.sum(answer.magnitudes(x)))
    checks.equal("the gradient of its sum", lambda: slope(some), np.sign(VECTORS[0]).astype(np.float32))
    checks.program(answer.magnitudes, some)
