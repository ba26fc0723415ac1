"""What whyjit raises when it cannot do what it was asked to do."""

from __future__ import annotations


class WhyjitError(Exception):
    """A fault that a person can mend: `message` says what happened, where, and what to do.

    The command prints it as one line and ends with `exit_code`.
    """

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
