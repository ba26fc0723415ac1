import jax
import jax.numpy as jnp


# says: line 9 prints 'x is
# passes
@jax.jit
def magnitudes(x):
    print("x is", x.shape)
    return jnp.abs(x)
