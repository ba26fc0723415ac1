"""Calls that miss the fast path: watched at JAX's door, with the traces, lowerings and compiles they bring about.

A thread's doors form a stack: a jitted function met while another is traced opens a door inside the other's. Whether a
door's function was traced is known from the mark that JAX's staging leaves on the innermost open door, never from time
or from the size of a cache.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import doors, events, tracing

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from whyjit.observe.journal import Journal
    from whyjit.observe.ledger import SpecState

# The functions of JAX that reach the door because of a call; others (`trace`, `lower`, `eval_shape`) only stage.
_CALLERS = frozenset({"cache_miss", "_python_pjit_helper"})


class Visit:
    """One passage through the door, from its opening to the next: what lowers and compiles after it belongs to it."""

    __slots__ = (
        *("args", "began", "called", "children", "frame", "function", "info", "inner_s", "kwargs", "marks"),
        *("name", "spec", "staged", "transforms"),
    )

    def __init__(self, function: Any, info: Any, args: Any, kwargs: Any, frame: FrameType) -> None:
        self.function = function
        self.info = info
        self.args = args
        self.kwargs = kwargs
        self.frame: FrameType | None = frame
        self.called = frame.f_code.co_name in _CALLERS
        state = tracing.state()
        self.staged = state.staged
        self.transforms = state.transforms
        self.marks = 0
        self.inner_s = 0.0
        self.began = 0.0
        self.name = ""
        self.spec: SpecState | None = None
        self.children: list[SpecState] = []

    def release(self) -> None:
        """Drop everything that belongs to the user's program."""
        self.function = self.info = self.args = self.kwargs = self.frame = None


class _Thread(threading.local):
    def __init__(self) -> None:
        self.open: list[Visit] = []
        self.last: Visit | None = None
        self.recent: dict[str, Visit] = {}
        self.cache_hit = False


class Calls:
    """The door, the marks of staging, and the listeners; what they learn goes to the journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._thread = _Thread()
        self.ensure_hook: Callable[[], None] | None = None

    def make_door(self, original: Any) -> Any:
        """The function that takes the place of JAX's door."""
        journal, local = self._journal, self._thread
        clock, getframe = time.perf_counter, sys._getframe

        def whyjit_door(fun: Any, ji: Any, args: Any, kwargs: Any) -> Any:
            visit = self._open(fun, ji, args, kwargs, getframe(1))
            if visit is None:
                return original(fun, ji, args, kwargs)
            stack = local.open
            stack.append(visit)
            visit.began = clock()
            try:
                answer = original(fun, ji, args, kwargs)
            except BaseException as raised:
                seconds = clock() - visit.began
                self._close(visit, seconds)
                journal.guarded(journal.raised, visit, seconds, raised)
                visit.release()
                raise
            seconds = clock() - visit.began
            self._close(visit, seconds)
            journal.guarded(journal.passed, visit, seconds, answer)
            if not visit.staged:
                if self.ensure_hook is not None:
                    journal.guarded(self.ensure_hook)
                local.last = visit
                if len(local.recent) > 500:
                    local.recent.clear()
                local.recent[visit.name] = visit
            visit.release()
            return answer

        return whyjit_door

    def _open(self, fun: Any, ji: Any, args: Any, kwargs: Any, frame: FrameType) -> Visit | None:
        try:
            visit = Visit(fun, ji, args, kwargs, frame)
        except Exception as fault:
            self._journal.fault("door", fault)
            return None
        return visit

    def _close(self, visit: Visit, seconds: float) -> None:
        stack = self._thread.open
        if stack and stack[-1] is visit:
            stack.pop()
        if stack and visit.marks:
            stack[-1].inner_s += seconds

    @property
    def parent(self) -> Visit | None:
        """The door that is open around the present moment in this thread."""
        return self._thread.open[-1] if self._thread.open else None

    def mark(self, debug_info: Any) -> None:
        """JAX begins to stage a program: it is the innermost open door's, or it is control flow called eagerly."""
        stack = self._thread.open
        if stack:
            stack[-1].marks += 1
            return
        purpose, source = doors.staged_for(debug_info)
        if purpose in _CONTROL_FLOW:
            frame = sys._getframe(2)
            self._journal.guarded(self._journal.eager_body, purpose, source, frame)

    def on_duration(self, event: str, seconds: float, **details: Any) -> None:
        """A lowering or a compile has ended."""
        if event not in (events.LOWER, events.COMPILE):
            return
        local = self._thread
        kind = "lower" if event == events.LOWER else "compile"
        if kind == "compile" and local.cache_hit:
            kind = "cache_load"
        if event == events.COMPILE:
            local.cache_hit = False
        name = events.plain_name(details.get("fun_name"))
        last = local.last
        visit = last if last is not None and (not name or last.name == name) else local.recent.get(name)
        self._journal.guarded(self._journal.worked, visit, kind, seconds, name)

    def on_event(self, event: str, **details: Any) -> None:  # noqa: ARG002 - the listener's form
        """The executable that is asked for was found in the persistent cache."""
        if event == events.CACHE_HIT:
            self._thread.cache_hit = True

    def forget(self) -> None:
        """Drop this thread's visits."""
        self._thread = _Thread()


_CONTROL_FLOW = frozenset({
    "scan", "fori_loop", "while_cond", "while_body", "cond", "switch", "associative_scan", "while_loop",
    "custom_linear_solve",
})  # fmt: skip
