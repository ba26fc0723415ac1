"""A gradient that nobody has jitted: JAX goes through its door for every operation, each time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from bench.recorders import CONTROL, WHYJIT, WHYJIT_NO_CALLS, peers
from bench.results import Result, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

LAYERS = 5
WIDTH = 64
GOES = 3


def loss(weights: jax.Array, x: jax.Array) -> jax.Array:
    """A small network: five operations for each layer, most of them functions that JAX has jitted itself."""
    for _ in range(LAYERS):
        x = jnp.tanh(x @ weights) * 2 + 1
    return jnp.mean(x * x)


def seconds_per_call(function: Callable[..., Any], arguments: tuple[jax.Array, ...], calls: int) -> float:
    """The time of one gradient: the best of a few goes, as other programs only add."""
    best = float("inf")
    for _ in range(GOES):
        start = time.perf_counter()
        for _ in range(calls):
            out = function(*arguments)
        jax.block_until_ready(out)
        best = min(best, time.perf_counter() - start)
    return best / calls


def run(*, quick: bool) -> list[Result]:
    """Ratios to bare JAX. In every round all recorders take a turn, each right before or right after bare JAX."""
    rounds, calls = (2, 5) if quick else (11, 60)
    gradient, arguments = jax.grad(loss), (jnp.eye(WIDTH), jnp.ones((8, WIDTH)))
    gradient(*arguments)
    recorders = [CONTROL, WHYJIT, WHYJIT_NO_CALLS, *peers()[:2]]
    ratios: dict[str, list[float]] = {recorder.name: [] for recorder in recorders}
    fastest = float("inf")
    for turn in range(rounds):
        for recorder in recorders:
            base = seconds_per_call(gradient, arguments, calls)
            with recorder.watching():
                gradient(*arguments)
                taken = seconds_per_call(gradient, arguments, calls)
            if turn % 2:
                base = seconds_per_call(gradient, arguments, calls)
            ratios[recorder.name].append(taken / base)
            fastest = min(fastest, base)
    title = f"a gradient without jit ({fastest * 1e3:.1f} ms bare)"
    return [ratio(title, name, samples) for name, samples in ratios.items()]
