import jax
import numpy as np
from functools import partial
@partial(jax.jit, static_argnames="mode")
def f(p, x, mode, bias=0.0): return (p["w"] * x).sum() + bias
f({"w": np.ones(3, np.float32)}, np.ones(3, np.float32), mode="a")
with jax.default_matmul_precision("highest"):
    f({"w": np.ones(4, np.float16), "b": np.ones(1)}, np.ones(4, np.int32), mode="b", bias=1.0)
