"""A gradient that nobody has jitted: JAX goes through its door for every operation, each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from bench.recorders import CONTROL, WHYJIT, WHYJIT_NO_CALLS, peers
from bench.results import Result, ratio
from bench.turns import in_turns, seconds_per_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.recorders import Recorder

LAYERS = 5
WIDTH = 64


def loss(weights: jax.Array, x: jax.Array) -> jax.Array:
    """A small network: five operations for each layer, most of them functions that JAX has jitted itself."""
    for _ in range(LAYERS):
        x = jnp.tanh(x @ weights) * 2 + 1
    return jnp.mean(x * x)


def run(*, quick: bool) -> list[Result]:
    """Ratios to bare JAX."""
    rounds, calls = (2, 5) if quick else (11, 60)
    slope, arguments = jax.grad(loss), [(jnp.eye(WIDTH), jnp.ones((8, WIDTH)))]

    def gradient(given: tuple[jax.Array, jax.Array]) -> jax.Array:
        return slope(*given)

    def bare() -> Callable[[], float]:
        gradient(arguments[0])
        return lambda: seconds_per_call(gradient, arguments, calls)

    def recorded(_: Recorder) -> float:
        gradient(arguments[0])
        return seconds_per_call(gradient, arguments, calls)

    ratios, fastest = in_turns([CONTROL, WHYJIT, WHYJIT_NO_CALLS, *peers()[:2]], rounds, bare, recorded)
    title = f"a gradient without jit ({fastest * 1e3:.1f} ms bare)"
    return [ratio(title, name, samples) for name, samples in ratios.items()]
