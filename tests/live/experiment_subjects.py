"""Functions under experiment. Each body counts its runs: the independent truth of what was traced."""

import enum
import functools
from typing import Literal

import jax
import jax.numpy as jnp

RUNS = []
TABLE = jnp.arange(2000.0)


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


@functools.partial(jax.jit, static_argnames=("mode", "scale", "tag", "kind"))
def step(x, y, mode=Mode.SUM, scale=2.0, tag=False, kind: Literal["a", "b"] = "a", bias=None):
    RUNS.append("step")
    z = x * y * scale
    if bias is not None:
        z = z + bias
    return z.sum() if mode is Mode.SUM else z.mean()


def plain(x, how):
    RUNS.append("plain")
    return getattr(jnp, how)(x)


@jax.jit
def branches(x, limit):
    RUNS.append("branches")
    return x if limit > 0 else -x


@jax.jit
def sized(x):
    RUNS.append("sized")
    return x * 2 if x.shape[0] == 16 else x + x.shape[0]


@jax.jit
def takes(params, index, shape_only, unused):
    RUNS.append("takes")
    return params["w"] * TABLE[index] + jnp.zeros_like(shape_only).sum()


@jax.jit
def arranged(x, n):
    return jnp.arange(n) + x


@jax.jit
def loops(x):
    RUNS.append("loops")
    return jax.lax.while_loop(lambda v: (v < 10).all(), lambda v: v + 1, x)


@functools.partial(jax.jit, static_argnums=1)
def churns(x, key):
    RUNS.append("churns")
    return x


class Fresh:
    """Two of them look the same and are not equal."""


@jax.jit
def meddles(x):
    """Changes a setting that is part of every cache key, each time it is traced."""
    RUNS.append("meddles")
    jax.config.update("jax_numpy_rank_promotion", ("allow", "warn")[len(RUNS) % 2])
    return x


class Net:
    def __init__(self, factor):
        self.factor = factor

    @functools.partial(jax.jit, static_argnums=0)
    def forward(self, x):
        RUNS.append("forward")
        return x * self.factor


net = Net(2)
bound = net.forward
tagged = functools.partial(step, tag=True)
