"""From the `whyjit` process to the program's."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from whyjit.errors import WhyjitError
from whyjit.launch import variables
from whyjit.launch.target import Target

_SITE = Path(__file__).resolve().parent / "site"
# Options of Python that concern the program; those that would keep whyjit out of it are not among them.
_PLAIN_OPTIONS = re.compile(r"-[OBbuqvd]+")
_VALUE_OPTIONS = ("-W", "-X")


def start(target: Target, plan: variables.Plan) -> NoReturn:
    """Become the program. Does not return."""
    if not sys.executable:
        raise WhyjitError(
            "this Python does not know its own program file (sys.executable); run whyjit from a usual one"
        )
    environment = dict(os.environ)
    variables.write(plan, environment)
    inherited = environment.get("PYTHONPATH", "")
    entries = [entry for entry in inherited.split(os.pathsep) if entry != str(_SITE)] if inherited else []
    environment["PYTHONPATH"] = os.pathsep.join([str(_SITE), *entries])
    command = [sys.executable, *interpreter_options(sys.orig_argv), *target.arguments]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, command, environment)  # noqa: S606 - it is what the user asked for


def interpreter_options(command: Sequence[str]) -> list[str]:
    """The options given to Python itself in `python -X dev -m whyjit run ...`."""
    options: list[str] = []
    rest = iter(command[1:])
    for argument in rest:
        if argument in _VALUE_OPTIONS:
            options += [argument, next(rest, "")]
        elif argument.startswith(_VALUE_OPTIONS) or _PLAIN_OPTIONS.fullmatch(argument):
            options.append(argument)
        elif not argument.startswith("-") or argument.startswith("-m"):
            break
    return options
