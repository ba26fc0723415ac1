"""`whyjit.explain(exception)`: a tracer error in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec import structs

from whyjit import settings
from whyjit.analyse.failure import judge
from whyjit.errors import WhyjitError
from whyjit.observe import observer
from whyjit.observe.failures import FailureProbe, causes, failure_of
from whyjit.observe.failures import explain as explain_traceback
from whyjit.observe.given import Eyes
from whyjit.present.failure_text import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.failure import Failure

_UNRECORDED = "this was read from the traceback: no recording was active when the error arose"
_NOTHING = "{name} is not an error of JAX's tracing: whyjit has nothing to add to its message."


@dataclass(frozen=True, slots=True)
class Explanation:
    """An error, explained. `failure` is None for an exception that has nothing to do with tracing."""

    failure: Failure | None
    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str | None:
        if self.failure is None:
            return None
        from whyjit.notebook import formats

        return formats.failure(self.failure)._repr_html_()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows where it shows text."""
        del cycle
        printer.text(self.text)


def explain(exception: BaseException) -> Explanation:
    """Explain an exception: which expression, which argument, why, and what to do about this very line.

    A recording that was active when the exception arose knows most about it. Without one, its traceback is read, as
    long as it has one; what that leaves open is said.

    Arguments:
      exception: any exception; of one that has nothing to do with tracing, the explanation says just that.
    """
    failure = _recorded(exception)
    if failure is None:
        recording = observer.eyes()
        failure = explain_traceback(exception, judge, recording or _own_eyes())
        if failure is None:
            return Explanation(None, _NOTHING.format(name=type(exception).__name__))
        if recording is None:
            failure = structs.replace(failure, notes=(*failure.notes, _UNRECORDED))
    return Explanation(failure, render(failure))


def _own_eyes() -> Eyes:
    """How arguments are looked at without a recording, as the settings say; values are hidden if they say nothing."""
    try:
        return Eyes(redact=settings.load().redact)
    except WhyjitError:
        return Eyes(redact=True)


def explain_exception(exception: BaseException) -> Failure | None:
    """The failure behind an exception, or behind the one it was raised from; None if there is none."""
    return _recorded(exception) or explain_traceback(exception, judge)


def _recorded(exception: BaseException) -> Failure | None:
    """What a recording found out about an exception while it was being raised."""
    return next((failure for one in causes(exception) if (failure := failure_of(one)) is not None), None)


def failure_probe(
    sink: Callable[[Failure], None], fault: Callable[[BaseException], None] | None = None
) -> FailureProbe:
    """A probe that hands every tracer error to `sink`, explained."""
    return FailureProbe(sink, judge, fault)
