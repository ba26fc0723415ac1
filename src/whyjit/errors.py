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


def refuse_generator(function: Any, name: str) -> None:
    """A generator's body runs when somebody asks for its values, after the call: a decorator would see none of it."""
    import inspect

    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise WhyjitError(
            f"@whyjit.{name} would see nothing of the generator {function.__name__}, whose body runs after the call;"
            f" write in its body, or around the loop over it: with whyjit.{name}(...):"
        )
