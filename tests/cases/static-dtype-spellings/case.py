from functools import partial
import jax, jax.numpy as jnp, numpy as np

@partial(jax.jit, static_argnames="dtype")
def cast(x, dtype): return x.astype(dtype) + 1

x = jnp.ones(3)
cast(x, dtype="float16")
cast(x, dtype=jnp.float16)
cast(x, dtype=np.dtype("float16"))
cast(x, dtype=np.float16)
