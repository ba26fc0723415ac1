"""How two things are compared: bare JAX and a recorder take turns."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.recorders import Recorder

GOES = 5


def seconds_per_call(function: Callable[[Any], Any], arguments: Sequence[Any], calls: int) -> float:
    """The time of one call, the sets of arguments taking turns: the best of a few goes, as other programs only add."""
    turns = range(calls // len(arguments))
    best = float("inf")
    for _ in range(GOES):
        start = time.perf_counter()
        for _ in turns:
            for given in arguments:
                out = function(given)
        out.block_until_ready()
        best = min(best, time.perf_counter() - start)
    return best / (len(turns) * len(arguments))


def in_turns(
    recorders: Sequence[Recorder],
    rounds: int,
    bare: Callable[[], Callable[[], float]],
    recorded: Callable[[Recorder], float],
) -> tuple[dict[str, list[float]], float]:
    """Ratios to bare JAX by recorder, and the fastest bare time, in seconds.

    In every round all recorders take a turn, each right before or right after bare JAX. `bare` gives a round's
    function that takes a bare time, `recorded` takes the time of one that is watched.
    """
    ratios: dict[str, list[float]] = {recorder.name: [] for recorder in recorders}
    fastest = float("inf")
    for turn in range(rounds):
        seconds = bare()
        for recorder in recorders:
            base = seconds()
            with recorder.watching():
                taken = recorded(recorder)
            if turn % 2:
                base = seconds()
            ratios[recorder.name].append(taken / base)
            fastest = min(fastest, base)
    return ratios, fastest
