import jax, jax.numpy as jnp
from dataclasses import dataclass

@jax.tree_util.register_static
@dataclass(frozen=True)
class Config:
    depth: int
    name: str = "net"

@jax.jit
def run(cfg, x):
    for _ in range(cfg.depth): x = jnp.sin(x)
    return x

for d in (1, 2, 3, 4): run(Config(d), jnp.ones(3))
