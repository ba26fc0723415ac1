"""The probe that sees tracer errors, also those the user catches, and keeps nothing of them but a frozen `Failure`.

It costs nothing until an error happens. An error is looked at once: when it is about to leave JAX, when it has ended
the trace of a function of the user's, or, outside both, when it is made. Until then only the tracer it is about is
noted, on the exception itself; afterwards the exception carries the `Failure`, which holds no frame, tracer or array.
"""

from __future__ import annotations

import dis
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from whyjit.jaxlink import errors
from whyjit.jaxlink.missing import Missing
from whyjit.model.recording import Gap
from whyjit.observe.functions import identify
from whyjit.observe.given import Eyes
from whyjit.observe.places import kind_of_file
from whyjit.observe.scene import LiveScene

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable
    from types import FrameType

    from whyjit.jaxlink.doors import Replaced
    from whyjit.model.failure import Failure
    from whyjit.model.scene import Scene

    Judge = Callable[[Scene], Failure | None]

_PLAIN_EYES = Eyes()
_TRACER = "_whyjit_tracer"
_FAILURE = "_whyjit_failure"
_CAUSES = 10
_CANDIDATES = frozenset({*errors.TRACER_ERRORS, "TypeError", "IndexError", "ValueError", "KeyError", "AttributeError"})


class DoorCall(NamedTuple):
    """A call of a jitted function that ended with an exception: what the door knows of it. `top_level`: not nested."""

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    signature: inspect.Signature | None = None
    top_level: bool = True


def failure_of(exception: BaseException) -> Failure | None:
    """What was found out about an exception while it was being raised."""
    return vars(exception).get(_FAILURE)


def explain(exception: BaseException, judge: Judge, eyes: Eyes = _PLAIN_EYES) -> Failure | None:
    """What can be found out about an exception, or one behind it, by its traceback."""
    for current in causes(exception):
        if _is_candidate(current):
            failure = judge(LiveScene(current, eyes=eyes))
            if failure is not None:
                return seen_as(failure, exception, current)
    return None


def causes(exception: BaseException) -> list[BaseException]:
    """An exception, and those behind it: what it was raised from, the members of a group, what was being handled."""
    found: list[BaseException] = []
    todo: list[BaseException | None] = [exception]
    while todo and len(found) < _CAUSES:
        current = todo.pop(0)
        if current is None or any(current is one for one in found):
            continue
        found.append(current)
        if isinstance(current, BaseExceptionGroup):
            todo.extend(current.exceptions)
        hidden = current.__suppress_context__
        todo.append(current.__cause__ if current.__cause__ is not None or hidden else current.__context__)
    return found


def seen_as(failure: Failure, exception: BaseException, cause: BaseException) -> Failure:
    """The failure, with a note where another exception reached the user; under its name where JAX or NumPy raised it.

    What the program itself raised, or a library, tells nothing of what went wrong in tracing.
    """
    name = type(exception).__name__
    if exception is cause or name == failure.error:
        return failure
    how = "was raised from" if exception.__cause__ is cause else "was raised on account of"
    note = f"{name} {how} {failure.error}"
    error = name if _raised_by_jax(exception) else failure.error
    return structs.replace(failure, error=error, notes=(*failure.notes, note))


def _raised_by_jax(exception: BaseException) -> bool:
    """Whether an exception came into being in JAX, or in code written in C, and not by a `raise` of somebody else's."""
    traceback = exception.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return True
    code = traceback.tb_frame.f_code
    raised = dis.opname[code.co_code[traceback.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")
    return not raised or kind_of_file(code.co_filename) == "jax"


def _is_candidate(exception: BaseException) -> bool:
    return type(exception).__name__ in _CANDIDATES


class FailureProbe:
    """Hands each tracer error to `sink` as a frozen `Failure`, once.

    `judge` makes the failure from a `Scene`. `fault` is told of an exception inside whyjit: none reaches the user.
    `eyes` look at the arguments.
    """

    def __init__(
        self,
        sink: Callable[[Failure], None],
        judge: Judge,
        fault: Callable[[BaseException], None] | None = None,
        *,
        eyes: Eyes = _PLAIN_EYES,
    ) -> None:
        self._sink = sink
        self._judge = judge
        self._eyes = eyes
        self._fault = fault
        self._undo: list[Replaced] = []
        self._sees_exits = False
        self._on = False
        self._busy = threading.local()

    def install(self) -> tuple[Gap, ...]:
        """Begin to watch. What cannot be watched here is returned."""
        self._on = True
        gaps: list[Gap] = []
        births = errors.watch_births(self._born)
        if isinstance(births, Missing):
            gaps.append(Gap("tracer errors that are caught outside any function of JAX's", births.reason))
        else:
            self._undo.extend(births)
        exits = errors.watch_exit(self._leaving)
        if isinstance(exits, Missing):
            gaps.append(Gap("tracer errors that are caught outside jit, in vmap, grad or scan", exits.reason))
        else:
            self._undo.append(exits)
            self._sees_exits = True
        return tuple(gaps)

    def remove(self) -> None:
        """Stop watching, and put everything back. What somebody else has wrapped since stays, and does nothing."""
        self._on = False
        while self._undo:
            self._undo.pop().restore()
        self._sees_exits = False

    def door_raised(self, exception: BaseException, call: DoorCall) -> None:
        """An exception is leaving the door of a jitted function. Nested doors tell in turn, the innermost first."""
        if not any(map(_is_candidate, causes(exception))):
            return
        try:
            if identify(call.fun).origin == "user" or (call.top_level and not self._sees_exits):
                self._look(exception, call=call)
        except Exception as fault:
            self._tell(fault)

    def _born(self, exception: BaseException, tracer: Any) -> None:
        if not self._on:
            return
        frame = sys._getframe(2)
        vars(exception)[_TRACER] = tracer
        if not self._sees_exits or not _is_within_jax(frame):
            self._look(exception, frame=frame)

    def _leaving(self, exception: BaseException, last: bool) -> None:
        if self._on and last and any(map(_is_candidate, causes(exception))):
            self._look(exception)

    def _look(self, exception: BaseException, *, frame: FrameType | None = None, call: DoorCall | None = None) -> None:
        if _FAILURE in vars(exception) or getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            for current in causes(exception):
                if not _is_candidate(current):
                    continue
                tracer = vars(current).pop(_TRACER, None)
                failure = self._judge(LiveScene(current, tracer, frame, call, eyes=self._eyes))
                if failure is not None:
                    failure = vars(exception)[_FAILURE] = seen_as(failure, exception, current)
                    self._sink(failure)
                    return
        except Exception as fault:
            self._tell(fault)
        finally:
            vars(exception).pop(_TRACER, None)
            self._busy.now = False

    def _tell(self, fault: BaseException) -> None:
        if self._fault is not None:
            self._fault(fault)


def _is_within_jax(frame: FrameType | None) -> bool:
    """Whether the exception will pass a function of JAX's API on its way out."""
    while frame is not None:
        if errors.is_boundary(frame.f_code.co_name) and kind_of_file(frame.f_code.co_filename) == "jax":
            return True
        frame = frame.f_back
    return False
