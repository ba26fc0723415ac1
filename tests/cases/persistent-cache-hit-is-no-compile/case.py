import tempfile
import jax, numpy as np
jax.config.update("jax_compilation_cache_dir", tempfile.mkdtemp())
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)

def make():
    def g(x): return (x * 3).sum()
    return jax.jit(g)

for _ in range(4): make()(np.ones(5, np.float32))
