"""Starting programs with plain Python and with whyjit, for the tests of the command."""

import os
import subprocess
import sys
from typing import NamedTuple

WHYJIT = [sys.executable, "-m", "whyjit"]


class Ended(NamedTuple):
    """How a process ended. Text is read as Latin-1, which loses no byte."""

    status: int
    out: str
    err: str


def run(command, folder, *, stdin="", **environment):
    """Run a command in a folder to its end."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        input=stdin.encode(),
        capture_output=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        timeout=120,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1"))


def plain(arguments, folder, *, options=(), **how):
    """Run a program with plain Python."""
    return run([sys.executable, *options, *arguments], folder, **how)


def recorded(arguments, folder, *, options=(), flags=("--quiet",), **how):
    """Run the same program with whyjit."""
    return run([sys.executable, *options, "-m", "whyjit", "run", *flags, *arguments], folder, **how)


def whyjit(*arguments, folder, **how):
    """Run any other command of whyjit's."""
    return run([*WHYJIT, *arguments], folder, **how)
