"""A call that JAX answers from its cache: with one live specialization, and with eight that alternate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from bench.recorders import CONTROL, WHYJIT, WHYJIT_NO_CALLS, peers
from bench.results import Result, ratio
from bench.turns import in_turns, seconds_per_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.recorders import Recorder

Arguments = dict[str, jax.Array]


def fresh_function() -> Callable[[Arguments], jax.Array]:
    """A new function object, so that each recorder sees its traces from the first one on. It reads every leaf."""

    def total(leaves: Arguments) -> jax.Array:
        return sum(leaf.sum() for leaf in leaves.values())

    return total


def one_specialization(leaves: int) -> list[Arguments]:
    """One set of arguments: a dict of so many scalars, which leaves JAX little else to do than the call itself."""
    return [{f"leaf_{i:03d}": jnp.float32(i) for i in range(leaves)}]


def eight_specializations(leaves: int) -> list[Arguments]:
    """Eight sets that differ in the size of one leaf in the middle."""
    (base,) = one_specialization(leaves)
    return [{**base, f"leaf_{leaves // 2:03d}": jnp.ones(size)} for size in range(1, 9)]


def warm(function: Callable[[Arguments], Any], arguments: list[Arguments]) -> Callable[[Arguments], Any]:
    """Trace and compile for every set of arguments, and reach the fast path."""
    for _ in range(3):
        for leaves in arguments:
            function(leaves).block_until_ready()
    return function


def measure(title: str, arguments: list[Arguments], limits: dict[str, float], calls: int, rounds: int) -> list[Result]:
    """Ratios to bare JAX, a new function in every turn."""

    def bare() -> Callable[[], float]:
        function = warm(jax.jit(fresh_function()), arguments)
        return lambda: seconds_per_call(function, arguments, calls)

    def recorded(recorder: Recorder) -> float:
        return seconds_per_call(warm(jax.jit(recorder.decorate(fresh_function())), arguments), arguments, calls)

    ratios, fastest = in_turns([CONTROL, WHYJIT, WHYJIT_NO_CALLS, *peers()], rounds, bare, recorded)
    title = f"{title} ({fastest * 1e6:.1f} µs bare)"
    return [ratio(title, name, samples, limits.get(name)) for name, samples in ratios.items()]


def run(*, quick: bool) -> list[Result]:
    """One leaf, a hundred leaves, and a hundred leaves with eight live specializations."""
    many, few = (3, 3) if quick else (31, 15)
    one = {WHYJIT.name: 1.10, WHYJIT_NO_CALLS.name: 1.02}
    eight = {WHYJIT.name: 1.20}
    return [
        *measure("cached call, 1 leaf", one_specialization(1), one, 2000, many),
        *measure("cached call, 100 leaves", one_specialization(100), one, 400, many),
        *measure("cached call, 100 leaves, 8 alternating", eight_specializations(100), eight, 400, few),
    ]
