"""Arrays by value as static arguments, made afresh but equal: nothing compiles again."""
import functools
import numpy as np
import jax
import jax.numpy as jnp


class ByValue:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return hash(self.value.tobytes())

    def __eq__(self, other):
        return isinstance(other, ByValue) and bool(np.array_equal(self.value, other.value))


@functools.partial(jax.jit, static_argnums=1)
def stencil(x, kernel):
    return sum(float(w) * jnp.roll(x, i) for i, w in enumerate(kernel.value))


x = jnp.arange(8.0)
for _ in range(12):
    x = stencil(x, ByValue(np.array([0.25, 0.5, 0.25])))
