"""`whyjit.expect()`: how often a block of code may trace and compile."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from whyjit.errors import WhyjitError, refuse_decorating
from whyjit.guards.errors import ExpectationError

if TYPE_CHECKING:
    from whyjit.api import Recorded, Recorder

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# A number is exact; a pair is the least and the most, both included, and None in it leaves that side open.
Count = int | tuple[int | None, int | None] | range

_FORM = "a number (exactly that many), a pair (least, most) with None for an open side, or a range"


class Expectation:
    """A context manager, and a decorator: on leaving, what happened is compared with what was expected."""

    def __init__(self, traces: Count | None, compiles: Count | None, of: str | None) -> None:
        if traces is None and compiles is None:
            raise WhyjitError("expect() needs something to expect: expect(traces=1), or expect(compiles=1)")
        if of is not None and not isinstance(of, str):
            raise WhyjitError(f"of={of!r} is no name: give a function's name, or a pattern such as 'train_*'")
        self._traces = bounds("traces", traces)
        self._compiles = bounds("compiles", compiles)
        self._of = of
        self._recorder: Recorder | None = None
        self._recorded: Recorded | None = None

    def __enter__(self) -> Self:
        from whyjit.api import Recorder

        if self._recorder is not None:
            raise WhyjitError("this expect() is entered already; make another one: with whyjit.expect(...) as inner")
        recorder = Recorder(None, calls=False)
        self._recorded = recorder.__enter__()
        self._recorder = recorder
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        recorder, recorded = self._recorder, self._recorded
        self._recorder = self._recorded = None
        if recorder is None or recorded is None:
            return
        recorder.__exit__(kind, raised, traceback)
        if raised is None:
            self._compare(recorded)

    def __call__(self, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        """The function, each call of which is held to the expectation."""
        again = functools.partial(Expectation, self._traces, self._compiles, self._of)
        refuse_decorating(function, "expect")
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Any:
                with again():
                    return await function(*args, **kwargs)

            return awaited  # type: ignore[return-value]

        @functools.wraps(function)
        def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            with again():
                return function(*args, **kwargs)

        return called

    def _compare(self, recorded: Recorded) -> None:
        from whyjit.analyse.expectation import compare

        breaches = compare(recorded.explained(), self._traces, self._compiles, self._of)
        if breaches:
            raise ExpectationError("\n".join(told(breach.text, breach.remedy) for breach in breaches), breaches)


def told(text: str, remedy: str) -> str:
    """A breach in a sentence."""
    return f"{text}; what to do: {remedy}" if remedy else text


def bounds(name: str, count: Any) -> tuple[int | None, int | None] | None:
    """The least and the most, both included, of a `Count`.

    Raises:
      WhyjitError: it is no `Count`.
    """
    if count is None:
        return None
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count, count
    if isinstance(count, range) and len(count) and count.step == 1 and count.start >= 0:
        return count.start, count.stop - 1
    if isinstance(count, tuple) and len(count) == 2 and all(side is None or _natural(side) for side in count):
        low, high = count
        if low is None or high is None or low <= high:
            return low, high
    raise WhyjitError(f"{name}={count!r} is not valid; valid: {_FORM}")


def _natural(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def expect(*, traces: Count | None = None, compiles: Count | None = None, of: str | None = None) -> Expectation:
    """Expect so many traces and compiles in a `with` block, or in each call of a function.

        with whyjit.expect(traces=1, compiles=1, of="train_*"):
            train_step(batch)

        @whyjit.expect(compiles=(None, 3))
        def test_serving(): ...

    On leaving, what really happened is compared; an exception of the block itself goes before. The counts are sums over
    all functions that fit, those jitted inside others among them, in all threads.

    Arguments:
      traces: how often Python bodies may be traced. A number is exact; a pair is the least and the most, both included,
        and None leaves a side open; a `range` is its members.
      compiles: the same for compiles by XLA. An executable from the persistent compilation cache is none.
      of: a function's name or qualified name, or a pattern for them with `*`, `?` and `[...]`. Left out, all functions
        of the user's own code count; "*" takes in libraries and operations called one by one, too.

    Raises:
      ExpectationError: on leaving; it names the call that broke the limit, the cause, and what to do. It is an
        `AssertionError`, too.
      WhyjitError: the arguments make no sense, or this JAX cannot be recorded.
    """
    return Expectation(traces, compiles, of)
