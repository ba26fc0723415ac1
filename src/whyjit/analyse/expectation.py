"""What happened in a block against what was expected of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.budget import breach, events, matching, times
from whyjit.model.budget import Breach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.budget import Event
    from whyjit.model.finding import Report

Bounds = tuple[int | None, int | None]


def compare(report: Report, traces: Bounds | None, compiles: Bounds | None, of: str | None) -> tuple[Breach, ...]:
    """Where the sums over all functions that fit a pattern are outside their bounds (both included)."""
    functions = matching(report, of)
    found = [
        _one("traces", traces, events(functions, "trace"), of, report),
        _one("compiles", compiles, events(functions, "compile"), of, report),
    ]
    return tuple(one for one in found if one is not None)


def _one(what: str, bounds: Bounds | None, made: Sequence[Event], of: str | None, report: Report) -> Breach | None:
    if bounds is None:
        return None
    low, high = bounds
    count = len(made)
    text = f"{_happened(what, count, made, of)}, expected {_expected(low, high)}"
    if high is not None and count > high:
        return breach(what, of or "", high, count, text, made[high], report)
    if low is not None and count < low:
        return Breach(what, of or "", "", low, count, text, _too_few(what, count, of, report))
    return None


def _happened(what: str, count: int, made: Sequence[Event], of: str | None) -> str:
    verb = "traced" if what == "traces" else "compiled"
    names = list(dict.fromkeys(event.function.function.name for event in made))
    if of is None:
        who = f"`{names[0]}`" if len(names) == 1 else "this code"
    else:
        who = f"`{of}`" if names in ([], [of]) else f"what fits `{of}` ({', '.join(names[:3])})"
    return f"{who} was {verb} {times(count)}" if count else f"{who} was never {verb}"


def _expected(low: int | None, high: int | None) -> str:
    if low == high:
        return f"{low}"
    if low is None or low == 0:
        return f"at most {high}"
    return f"{low} to {high}" if high is not None else f"at least {low}"


def _too_few(what: str, count: int, of: str | None, report: Report) -> str:
    names = sorted({function.function.name for function in report.functions if function.function.origin == "user"})
    if of is not None and count == 0 and of not in names and names:
        return f"name one of the functions that JAX worked on: {', '.join(names[:5])}"
    verb = "traced" if what == "traces" else "compiled"
    return f"if it was {verb} before this block, expect a range, or call jax.clear_caches() first"
