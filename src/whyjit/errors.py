"""What whyjit raises when it cannot do what it was asked to do."""

from __future__ import annotations

from typing import Any


class WhyjitError(Exception):
    """A fault that a person can mend: `message` says what happened, where, and what to do.

    The command prints it as one line and ends with `exit_code`.
    """

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def refuse_decorating(function: Any, name: str) -> None:
    """A class is no function, and a generator's body runs after the call: a decorator would see none of it."""
    import inspect

    if inspect.isclass(function):
        raise WhyjitError(
            f"@whyjit.{name} is for functions, and {function.__name__} is a class; decorate the methods that are meant"
        )
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise WhyjitError(
            f"@whyjit.{name} would see nothing of the generator {function.__name__}, whose body runs after the call;"
            f" write in its body, or around the loop over it: with whyjit.{name}(...):"
        )
