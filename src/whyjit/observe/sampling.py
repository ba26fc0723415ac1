"""Where in the user's source a slow trace spends its seconds: looked at from whyjit's own thread, a few times a second.

A trace that is over soon is never looked at. While one takes longer, the thread notes at which lines of the user's code
the tracing thread stands: all of them, from the traced function inwards. A look costs tens of µs; the frames it looks
at are let go at once. Each line is given the time since the look before.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from whyjit.model.recording import Sample
from whyjit.observe.places import is_user_code, location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType, FrameType

    from whyjit.model.source import Location
    from whyjit.observe.calls import Visit

_SLOW_S = 0.3
_OFTEN_S = 0.02
_SELDOM_S = 0.4
_STACKS = 500


class Samples:
    """What was seen of one trace: seconds by the lines of the stack, outermost first."""

    __slots__ = ("found", "last")

    def __init__(self, now: float) -> None:
        self.last = now
        self.found: dict[tuple[Location, ...], float] = {}

    def add(self, stack: tuple[Location, ...], now: float) -> None:
        """The lines at which the trace stands now, since the look before."""
        if stack in self.found or len(self.found) < _STACKS:
            self.found[stack] = self.found.get(stack, 0.0) + now - self.last
        self.last = now

    def freeze(self) -> tuple[Sample, ...]:
        """The value it has now."""
        return tuple(Sample(seconds, stack) for stack, seconds in list(self.found.items()))


class Sampler:
    """Looks at the traces that are under way. `door` is the code that stands below everything a trace runs."""

    def __init__(self, tracing: Mapping[int, Visit], door: Callable[[], CodeType | None]) -> None:
        self._tracing = tracing
        self._door = door
        self.pause = _SELDOM_S

    def look(self) -> None:
        """Note where slow traces stand; `pause` is how long to wait for the next look."""
        now = time.perf_counter()
        slow = {
            thread: visit
            for thread, visit in list(self._tracing.items())
            if visit.began and now - visit.began >= _SLOW_S
        }
        self.pause = _OFTEN_S if slow else _SELDOM_S
        if not slow:
            return
        for thread, visit in slow.items():
            stack = self._stack(thread)
            if stack is None or self._tracing.get(thread) is not visit:
                continue
            if visit.samples is None:
                visit.samples = Samples(now)
            else:
                visit.samples.add(stack, now)

    def _stack(self, thread: int) -> tuple[Location, ...] | None:
        """The lines of the user's code inside the outermost door, outermost first.

        None where no door is open, or where the thread went on during the look: what was seen then is the lines of two
        moments, and no stack that ever stood.
        """
        door = self._door()
        standing = _standing(thread)
        lines: list[Location] = []
        inside = -1
        for frame, _ in standing:
            if frame.f_code is door:
                inside = len(lines)
            elif is_user_code(frame.f_code):
                lines.append(location_of(frame))
        return None if inside < 0 or _standing(thread) != standing else tuple(reversed(lines[:inside]))


def _standing(thread: int) -> list[tuple[FrameType, int]]:
    """The frames of a thread, innermost first, each with the instruction it is at."""
    found = []
    frame = sys._current_frames().get(thread)
    while frame is not None:
        found.append((frame, frame.f_lasti))
        frame = frame.f_back
    return found
