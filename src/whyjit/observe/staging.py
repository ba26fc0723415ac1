"""The bodies that are staged while a function is traced: those of scans, loops, branches, and custom rules.

JAX stages each of them as a program of its own, which begins with a mark and ends when its equations are put together.
Between the two lies the time it took, measured; jitted functions traced inside it are taken off to get its own.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from whyjit.model.recording import Body

if TYPE_CHECKING:
    from collections.abc import Callable

# What JAX says a program is staged for when it is the jitted function itself.
_ITSELF = frozenset({"jit", "pjit", ""})
_BODIES = 200


class _Open:
    """A program that is being staged. `body` is None for the function itself."""

    __slots__ = ("began", "body", "inner_s", "trace")

    def __init__(self, trace: int, body: _Tally | None, began: float) -> None:
        self.trace = trace
        self.body = body
        self.began = began
        self.inner_s = 0.0


class _Tally:
    """All stagings of one body in one place: their number and time."""

    __slots__ = ("count", "number", "own", "parent", "purpose", "seconds", "source")

    def __init__(self, number: int, parent: int, purpose: str, source: str) -> None:
        self.number = number
        self.parent = parent
        self.purpose = purpose
        self.source = source
        self.count = 0
        self.seconds = 0.0
        self.own = 0.0


class Staging:
    """What is staged within one trace of a jitted function. Traces are told apart by `id`; none is kept."""

    __slots__ = ("_clock", "_open", "_tallies")

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._open: list[_Open] = []
        self._tallies: dict[tuple[int, str, str], _Tally] = {}

    def begin(self, trace: int, purpose: str, source: str) -> None:
        """A program begins to be staged."""
        body = None
        if purpose not in _ITSELF:
            key = (self.current, purpose, source)
            body = self._tallies.get(key)
            if body is None and len(self._tallies) < _BODIES:
                body = self._tallies[key] = _Tally(len(self._tallies), *key)
        self._open.append(_Open(trace, body, self._clock()))

    def end(self, trace: int) -> None:
        """A program has been staged. Those begun after it and never ended were given up with an exception."""
        now = self._clock()
        if not any(opened.trace == trace for opened in self._open):
            return
        while self._open:
            opened = self._open.pop()
            if opened.trace == trace:
                break
            self._give_up(opened)
        if opened.body is None:
            if self._open:  # a program of JAX's own around the body: what was inside it was inside the next one, too
                self._open[-1].inner_s += opened.inner_s
            return
        seconds = now - opened.began
        opened.body.count += 1
        opened.body.seconds += seconds
        opened.body.own += max(0.0, seconds - opened.inner_s)
        if self._open:
            self._open[-1].inner_s += seconds

    def _give_up(self, opened: _Open) -> None:
        """A body was left with an exception that the program caught: what was staged since is its parent's."""
        if self._open:
            self._open[-1].inner_s += opened.inner_s
        if opened.body is not None and not opened.body.count:
            for tally in self._tallies.values():
                if tally.parent == opened.body.number:
                    tally.parent = opened.body.parent

    def traced_inside(self, seconds: float) -> None:
        """A jitted function was traced inside what is being staged now."""
        if self._open:
            self._open[-1].inner_s += seconds

    @property
    def current(self) -> int:
        """The number of the body that is being staged now; -1 where it is the function itself."""
        return next((opened.body.number for opened in reversed(self._open) if opened.body is not None), -1)

    def bodies(self) -> tuple[Body, ...]:
        """Everything that was staged."""
        return tuple(_body(tally) for tally in self._tallies.values())


# That of a visit which has staged nothing yet.
NOTHING = Staging()


def _body(tally: _Tally) -> Body:
    name, _, place = tally.source.partition(" at ")
    file, _, line = place.rpartition(":")
    number = int(line) if line.isdigit() else 0
    return Body(tally.purpose, name, file, number, tally.count, tally.seconds, tally.own, tally.parent)
