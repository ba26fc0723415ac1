"""`whyjit.frozen()`: from here on, nothing may be traced or compiled."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from pathlib import PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, overload

from whyjit.errors import WhyjitError, refuse_decorating
from whyjit.guards.errors import FrozenError, FrozenWarning

if TYPE_CHECKING:
    from whyjit.model.attempt import Attempt
    from whyjit.model.source import Location
    from whyjit.observe.guarding import Guarding

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Frozen:
    """A context manager, and a decorator: inside it, every new trace or compile raises, or warns."""

    def __init__(self, *, warn: bool) -> None:
        self._warn = warn
        self._guarding: Guarding | None = None

    def __enter__(self) -> Self:
        if self._guarding is not None:
            raise WhyjitError("this frozen() is entered already; make another one: with whyjit.frozen() as inner")
        from whyjit import settings
        from whyjit.analyse.failure.judge import judge
        from whyjit.jaxlink import environment
        from whyjit.jaxlink.missing import Missing
        from whyjit.observe.guarding import Guarding

        found = environment.supported()
        if isinstance(found, Missing):
            raise WhyjitError(f"{found.reason}; whyjit needs JAX 0.6 or newer: pip install --upgrade 'jax>=0.6'")
        guarding = Guarding(self._refuse, judge=judge, redact=settings.load().redact)
        missing = guarding.start()
        if missing is not None:
            raise WhyjitError(f"frozen() cannot hold with this JAX: {missing.reason}; see: whyjit doctor")
        self._guarding = guarding
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        guarding, self._guarding = self._guarding, None
        if guarding is not None:
            guarding.stop()

    def __call__(self, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        """The function, inside which nothing may be traced or compiled."""
        refuse_decorating(function, "frozen")
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Any:
                with Frozen(warn=self._warn):
                    return await function(*args, **kwargs)

            return awaited  # type: ignore[return-value]

        @functools.wraps(function)
        def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            with Frozen(warn=self._warn):
                return function(*args, **kwargs)

        return called

    def _refuse(self, attempt: Attempt) -> None:
        """Called by JAX's own thread of work, before it begins; what is raised here reaches the user's call."""
        error = error_of(attempt)
        site = error.call_site
        if self._warn:
            warnings.warn_explicit(error.message, FrozenWarning, site.file or "<unknown>", site.line or 1)
        else:
            raise error


def error_of(attempt: Attempt) -> FrozenError:
    """What to raise for an attempt."""
    from whyjit.analyse.attempt import why

    found = why(attempt)
    cause = found.cause
    known = attempt.function
    name = known.name if known is not None and known.origin != "eager" else attempt.name
    kind = "operation " if known is not None and known.origin == "eager" else ""
    what = f"{kind}`{name}`" if name else "a program"
    again = " again" if found.again else ""
    done = {"trace": f"would be traced{again}", "compile": f"would be compiled{again}"}[attempt.stage]
    compared = f" (compared with specialization {found.compared_with})" if found.compared_with and cause.changes else ""
    where = f", called at {_place(attempt.call_site)}" if attempt.call_site.file else ""
    message = f"{what} {done} inside whyjit.frozen(){where}: {cause.text}{compared}; what to do: {found.remedy}"
    return FrozenError(
        message, function=name, stage=attempt.stage, call_site=attempt.call_site, cause=cause, remedy=found.remedy
    )


def _place(site: Location) -> str:
    return f"{PurePath(site.file).name}:{site.line}"


@overload
def frozen(warn: Callable[Parameters, Result]) -> Callable[Parameters, Result]: ...
@overload
def frozen(warn: bool = False) -> Frozen: ...
def frozen(warn: Any = False) -> Any:
    """Refuse every new trace and compile in a `with` block, or in each call of a function: for after the warm-up.

        warm_up()
        with whyjit.frozen():
            serve()

    The call that would trace or compile raises `FrozenError` instead, before the trace begins, or before the compiler
    starts where nothing has to be traced. The error's `cause` names what changed. JAX's caches are as they were: calls
    that are compiled already go on working, inside and afterwards, and the refused call works outside.

    Calls on JAX's fast path cost nothing more than without it. An executable that is loaded from the persistent
    compilation cache is no compile, and `eval_shape` asks for shapes only; both pass. All threads of the process are
    held to it. What was compiled before is known as far as it was recorded, or, for traces and from JAX 0.10 on, as
    far as JAX's own cache tells: put `whyjit.record(calls=False)` around the warm-up and the block to know all of it.

    Arguments:
      warn: issue a `FrozenWarning` at the line of the call, and let JAX go on.

    Raises:
      WhyjitError: on entering, where this JAX does not let anybody come before its traces and compiles.
    """
    if callable(warn):
        return Frozen(warn=False)(warn)
    return Frozen(warn=bool(warn))
