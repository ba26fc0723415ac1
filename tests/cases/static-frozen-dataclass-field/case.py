import jax, jax.numpy as jnp
import numpy as np
from functools import partial
import dataclasses
@dataclasses.dataclass(frozen=True)
class Cfg:
    depth: int = 2
    name: str = "run"
@partial(jax.jit, static_argnames="cfg")
def net(x, cfg):
    for _ in range(cfg.depth): x = jnp.tanh(x)
    return x
x = np.ones(2, np.float32)
for i in range(4): net(x, cfg=Cfg(2, f"run{i}"))
