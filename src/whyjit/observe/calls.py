"""Calls that miss the fast path: watched at JAX's door, with the traces, lowerings and compiles they bring about.

A thread's doors form a stack: a jitted function met while another is traced opens a door inside the other's. Whether a
door's function was traced is known from the mark that JAX's staging leaves on the innermost open door, never from time
or from the size of a cache.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import doors, events, tracing
from whyjit.observe import attempts, places
from whyjit.observe.disk import DiskProbe
from whyjit.observe.staging import NOTHING, Staging

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

    from whyjit.model.attempt import Attempt
    from whyjit.observe.journal import Journal
    from whyjit.observe.ledger import SpecState
    from whyjit.observe.sampling import Samples

# The functions of JAX that reach the door because of a call; others (`trace`, `lower`, `eval_shape`) only stage.
_CALLERS = frozenset({"cache_miss", "_python_pjit_helper"})
# Those that ask for shapes only.
_SHAPES = frozenset({"jit_eval_shape", "eval_shape"})
_DECORATED = 4


class Visit:
    """One passage through the door, from its opening to the next: what lowers and compiles after it belongs to it."""

    __slots__ = (
        *("args", "began", "called", "children", "frame", "function", "info", "inner_s", "kwargs", "marks"),
        *("name", "samples", "shapes", "spec", "staged", "staging", "transforms", "warned"),
    )

    def __init__(self, function: Any, info: Any, args: Any, kwargs: Any, frame: FrameType) -> None:
        self.function = function
        self.info = info
        self.args = args
        self.kwargs = kwargs
        self.frame: FrameType | None = frame
        self.called = frame.f_code.co_name in _CALLERS
        self.shapes = not self.called and _asks_shapes(frame)
        self.warned = False
        state = tracing.state()
        self.staged = state.staged
        self.transforms = state.transforms
        self.marks = 0
        self.staging = NOTHING  # most visits stage nothing
        self.samples: Samples | None = None
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
        self.refused = False


def _behind(frame: FrameType, home: str) -> FrameType:
    """The frame of JAX's that came to the door, where somebody has put a function of theirs around it."""
    outer: FrameType | None = frame
    for _ in range(_DECORATED):
        outer = outer.f_back if outer is not None else None
        if outer is not None and outer.f_code.co_filename == home:
            return outer
    return frame


class Calls:
    """The door, the marks of staging, and the listeners; what they learn goes to the journal.

    `guards` are asked before a trace or a compile begins. They are the one thing here that may raise: somebody has
    asked for it. Nothing of the attempt has been entered anywhere by then, by whyjit or by JAX. `listeners` are told
    of a specialization after each piece of work for it, in the thread that did it. `tracing` holds the outermost visit
    that is open in each thread. `lowering` is true from the end of a call's trace to that of its lowering, when XLA
    takes over, which needs no GIL; with several threads it speaks of the one that was here last.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._thread = _Thread()
        self._over = False
        self.tracing: dict[int, Visit] = {}
        self.lowering = False
        self.door: CodeType | None = None
        self.disk = DiskProbe(journal.fault)
        self.ensure_hook: Callable[[], None] | None = None
        self.keep: Callable[[Visit, Any], None] | None = None
        self.guards: tuple[Callable[[Attempt], None], ...] = ()
        self.listeners: tuple[Callable[[SpecState], None], ...] = ()

    def make_door(self, original: Any) -> Any:
        """The function that takes the place of JAX's door."""
        journal, local = self._journal, self._thread
        clock, getframe, get_ident = time.perf_counter, sys._getframe, threading.get_ident
        home = doors.home()

        def whyjit_door(fun: Any, ji: Any, args: Any, kwargs: Any) -> Any:
            frame = getframe(1)
            if frame.f_code.co_filename != home:
                frame = _behind(frame, home)
            visit = self._open(fun, ji, args, kwargs, frame)
            if visit is None:
                return original(fun, ji, args, kwargs)
            stack = local.open
            try:  # from here on: an interrupt may come between any two steps
                if not stack:
                    self.tracing[get_ident()] = visit
                stack.append(visit)
                visit.began = clock()
                answer = original(fun, ji, args, kwargs)
            except BaseException as raised:
                seconds = clock() - visit.began
                self._close(visit, seconds)
                journal.guarded(journal.raised, visit, seconds, raised)
                if self.keep is not None and visit.marks:
                    journal.guarded(self.keep, visit, None)
                if self.listeners and visit.marks:
                    journal.guarded(self._tell, visit)
                visit.release()
                raise
            seconds = clock() - visit.began
            self._close(visit, seconds)
            journal.guarded(journal.passed, visit, seconds, answer)
            if self.keep is not None and visit.marks:
                journal.guarded(self.keep, visit, answer)
            if self.listeners and visit.marks:
                journal.guarded(self._tell, visit)
            if not visit.staged:
                self.lowering = visit.called and visit.marks > 0
                local.refused = False
                if self.ensure_hook is not None:
                    journal.guarded(self.ensure_hook)
                local.last = visit
                if len(local.recent) > 500:
                    local.recent.clear()
                local.recent[visit.name] = visit
            visit.release()
            return answer

        self.door = whyjit_door.__code__
        return whyjit_door

    def _open(self, fun: Any, ji: Any, args: Any, kwargs: Any, frame: FrameType) -> Visit | None:
        if self._over:
            return None  # somebody has put a function of theirs around the door, and calls it still
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
        elif visit in stack:
            del stack[stack.index(visit) :]
        if not stack:
            self.tracing.pop(threading.get_ident(), None)
        if stack and visit.marks:
            stack[-1].inner_s += seconds
            stack[-1].staging.traced_inside(seconds)

    @property
    def parent(self) -> Visit | None:
        """The door that is open around the present moment in this thread."""
        return self._thread.open[-1] if self._thread.open else None

    def mark(self, debug_info: Any, trace: Any) -> None:
        """JAX begins to stage a program: it is the innermost open door's, or it is control flow called eagerly."""
        if self._over:
            return
        stack = self._thread.open
        purpose, source = doors.staged_for(debug_info)
        if stack:
            visit = stack[-1]
            if self.guards and not visit.marks and not visit.staged and not visit.shapes:
                visit.warned = True  # a guard that lets the trace happen need not be told of its compile
                self._ask(visit.name, attempts.of_trace, self._journal, visit)
            if not visit.marks:
                visit.staging = Staging()
            visit.marks += 1
            visit.staging.begin(id(trace), purpose, source)
            return
        if purpose in _CONTROL_FLOW:
            frame = sys._getframe(2)
            if self.guards and not tracing.state().staged:
                self._ask(purpose, attempts.of_body, purpose, frame)
            self._journal.guarded(self._journal.eager_body, purpose, source, frame)

    def ended(self, trace: Any) -> None:
        """JAX has staged a program."""
        stack = self._thread.open
        if stack:
            stack[-1].staging.end(id(trace))

    # Guards.

    def before_compile(self, name: str) -> None:
        """XLA is about to compile a program."""
        if not self.guards:
            return
        visit = self._visit_of_module(name)
        if visit is not None and visit.warned:
            return
        self._thread.refused = True  # JAX tells the time of a compile that never began, too
        self._ask(name, attempts.of_compile, name, visit)
        self._thread.refused = False

    def _ask(self, name: str, describe: Callable[..., Attempt], *known: Any) -> None:
        """Ask every guard. An attempt that whyjit cannot describe is told as it stands."""
        try:
            attempt = describe(*known)
        except Exception as fault:
            self._journal.fault("guard", fault)
            attempt = attempts.unknown(name)
        for guard in self.guards:
            guard(attempt)

    def _visit_of(self, name: str) -> Visit | None:
        last = self._thread.last
        return last if last is not None and (not name or last.name == name) else self._thread.recent.get(name)

    def _visit_of_module(self, name: str) -> Visit | None:
        """The same, by the name as it stands in a module, where what is no word in `<lambda>` is replaced."""
        last = self._thread.last
        several = [] if last is None else [last]
        several += self._thread.recent.values()
        return next((visit for visit in several if _plain(visit.name) == _plain(name)), None)

    def on_duration(self, event: str, seconds: float, **details: Any) -> None:
        """A lowering or a compile has ended."""
        if event not in (events.LOWER, events.COMPILE):
            return
        local = self._thread
        if event == events.COMPILE and local.refused:
            local.refused = False
            self.disk.take(loaded=False)
            return
        self.lowering = False
        kind = "lower" if event == events.LOWER else "compile"
        if kind == "compile" and local.cache_hit:
            kind = "cache_load"
        if event == events.COMPILE:
            local.cache_hit = False
        name = events.plain_name(details.get("fun_name"))
        kept = self.disk.take(loaded=kind == "cache_load") if event == events.COMPILE else None
        visit = self._visit_of(name)
        self._journal.guarded(self._journal.worked, visit, kind, seconds, name, kept)
        if self.listeners and visit is not None:
            self._journal.guarded(self._tell, visit)

    def _tell(self, visit: Visit) -> None:
        """JAX has worked for a specialization, in this thread and just now."""
        if visit.spec is not None:
            for listener in self.listeners:
                listener(visit.spec)

    def on_event(self, event: str, **details: Any) -> None:  # noqa: ARG002 - the listener's form
        """JAX asks its persistent cache for an executable, finds it, or writes it."""
        if event == events.CACHE_HIT:
            self._thread.cache_hit = True
        elif event == events.CACHE_ASKED:
            self.disk.asked()
        elif event == events.CACHE_WRITTEN:
            self.disk.wrote()

    def forget(self) -> None:
        """Drop this thread's visits, and watch no more."""
        self._over = True
        self._thread = _Thread()
        self.tracing.clear()

    def keep_this_thread(self) -> None:
        """In a forked child: no other thread traces any more."""
        own = threading.get_ident()
        for thread in [thread for thread in self.tracing if thread != own]:
            del self.tracing[thread]


def _asks_shapes(frame: FrameType) -> bool:
    """Whether JAX is asked for shapes only; its decorators stand between its functions."""
    current: FrameType | None = frame
    for _ in range(_DECORATED):
        if current is None or places.kind_of_file(current.f_code.co_filename) != "jax":
            return False
        if current.f_code.co_name in _SHAPES:
            return True
        current = current.f_back
    return False


def _plain(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")


_CONTROL_FLOW = frozenset({
    "scan", "fori_loop", "while_cond", "while_body", "cond", "switch", "associative_scan", "while_loop",
    "custom_linear_solve",
})  # fmt: skip
