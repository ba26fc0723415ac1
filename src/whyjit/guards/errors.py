"""What guards raise."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.model.budget import Breach
    from whyjit.model.finding import Cause
    from whyjit.model.source import Location


class FrozenError(WhyjitError):
    """JAX was about to trace or compile inside `whyjit.frozen()`.

    `function` is its name, `stage` what was about to happen ("trace" or "compile"), `call_site` the line of the call,
    `cause` the reason with each change, and `remedy` what to do about it.
    """

    def __init__(
        self, message: str, *, function: str, stage: str, call_site: Location, cause: Cause, remedy: str
    ) -> None:
        super().__init__(message)
        self.function = function
        self.stage = stage
        self.call_site = call_site
        self.cause = cause
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        make = functools.partial(
            FrozenError,
            function=self.function,
            stage=self.stage,
            call_site=self.call_site,
            cause=self.cause,
            remedy=self.remedy,
        )
        return make, (self.message,)


class FrozenWarning(UserWarning):
    """JAX traces or compiles inside `whyjit.frozen(warn=True)`."""


class ExpectationError(WhyjitError, AssertionError):
    """A `whyjit.expect()` was not met. `breaches` say which limit, which call, why, and what to do."""

    def __init__(self, message: str, breaches: tuple[Breach, ...]) -> None:
        super().__init__(message)
        self.breaches = breaches

    def __reduce__(self) -> tuple[Any, ...]:
        return ExpectationError, (self.message, self.breaches)
