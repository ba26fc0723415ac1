
import jax, jax.numpy as jnp
import numpy as np
from functools import partial
import tempfile
jax.config.update("jax_compilation_cache_dir", tempfile.mkdtemp())
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
@jax.jit
def double(x): return x * 2
double(jnp.ones(3))
jax.clear_caches()
double(jnp.ones(3))
