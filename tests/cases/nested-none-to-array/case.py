import jax
import numpy as np
@jax.jit
def f(s): return s["x"] if s["opt"]["m"] is None else s["x"] + s["opt"]["m"]
x = np.ones(3, np.float32)
f({"x": x, "opt": {"m": None}}); f({"x": x, "opt": {"m": x}})
