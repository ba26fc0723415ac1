"""Starting programs with plain Python and with whyjit, for the tests of the command."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
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
        timeout=600,
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


@contextlib.contextmanager
def port():
    """A free port for processes of a test: held, so that nobody else is given it, yet they may listen on it, too."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def until(condition, what):
    """Wait for what comes in an instant on an idle machine, and give what the condition gives then."""
    ends = time.monotonic() + 300
    while not (found := condition()):
        assert time.monotonic() < ends, f"waited in vain for {what}"
        time.sleep(0.02)
    return found


def state(pid):
    """What a process does, as the system tells it in one letter: "R" runs, "S" sleeps, "Z" has ended; "" is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def asleep(pid):
    """Whether a process without threads waits for something."""
    return state(pid) == "S"


# A line for a program under observation: goes on once its recording on the disk has a function, which is written there
# from another thread.
STORED = """
def stored(name):
    import os, pathlib, time
    from whyjit.store import reader
    ends = time.monotonic() + 300
    while time.monotonic() < ends:
        for path in pathlib.Path(os.environ["WHYJIT_RUN_FOLDER"]).glob(f"{os.getpid()}-*.whyjit"):
            if name in [function.name for function in reader.load(path).functions]:
                return
        time.sleep(0.05)
    raise TimeoutError(name)
"""
