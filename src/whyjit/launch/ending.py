"""The end of a recorded process: the last batch, and in the process started by hand, the summary.

The summary is made by a fresh Python: the program may have changed anything in this one, from `sys.path` to `print`,
and may hold modules of its own by the names of those that a summary needs. Imports only what Python has loaded by then.
"""

from __future__ import annotations

import os
import sys

from whyjit.launch import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whyjit.launch.session import Session

_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
_CLOSING = "import sys; sys.path.append({!r}); from whyjit.launch.closing import main; main()"


class Beginning:
    """What a process began with: the program may have changed each of it since."""

    __slots__ = ("directory", "environment", "executable", "path", "time")

    def __init__(self, time: float) -> None:
        self.time = time
        self.executable = sys.executable
        self.directory = os.getcwd()  # noqa: PTH109
        self.environment = dict(os.environ)
        self.path = list(sys.path)


def end(plan: variables.Plan, session: Session | None, beginning: Beginning, absence: str) -> None:
    """Finish the recording. `absence` says why JAX was not observed, if it was not.

    Its output comes last: what the program has printed goes out before it.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S112 - nowhere to write to; Python says so itself at its own last flush
            continue
    uncaught = uncaught_exception()
    try:
        if session is not None:
            session.end(uncaught if isinstance(uncaught, Exception) else None)
        if os.getpid() == plan.main:
            if session is not None and session.fault:
                say(f"the recording is incomplete: {session.fault}")
            _close(beginning, absence)
    finally:
        if type(uncaught) is KeyboardInterrupt:
            _stay_interrupted(uncaught)


def uncaught_exception() -> BaseException | None:
    """The exception that ended the program.

    Python keeps it in `sys.last_exc` (`last_value` before 3.12). Debuggers and test runners put others there, which
    they caught: the frame that lets an exception out of the program is the one that nothing has called.
    """
    last = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if not isinstance(last, BaseException) or last.__traceback__ is None:
        return None
    return last if last.__traceback__.tb_frame.f_back is None else None


def say(text: str) -> None:
    """A line of whyjit's own, where there is somebody to read it."""
    try:
        sys.stderr.write(f"whyjit: {text}\n")
        sys.stderr.flush()
    except Exception:  # noqa: BLE001 - it may be anything, or closed
        return


def _close(beginning: Beginning, absence: str) -> None:
    """Have the last words said; see `closing`."""
    python = beginning.executable
    command = [python, "-P", "-c", _CLOSING.format(_PACKAGES), repr(beginning.time), absence, *_arguments()]
    inherited = variables.unrecorded(beginning.environment)
    try:
        os.chdir(beginning.directory)
    except OSError:
        os.chdir("/")
    if not hasattr(os, "posix_spawn"):
        import subprocess

        subprocess.run(command, env=inherited, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)  # noqa: S603
        return
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1)]
    child = os.posix_spawn(python, command, inherited, file_actions=nothing)
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        # The program has a handler that waits for every child.
        return


def _arguments() -> list[str]:
    """The program's arguments, so far as it has left them what arguments are."""
    given = getattr(sys, "argv", None)
    texts = [one for one in given if isinstance(one, str)] if isinstance(given, (list, tuple)) else []
    return [one.replace("\0", "") for one in texts]


def _stay_interrupted(interrupt: KeyboardInterrupt) -> None:
    """Let Python end by SIGINT, as it does when Ctrl-C ends a script.

    It takes note of that when the script's code has raised KeyboardInterrupt, and forgets it when other source text is
    executed, as many imports do. A module run by -m ends with status 1 instead.
    """
    traceback = interrupt.__traceback__
    if traceback is not None and traceback.tb_frame.f_code.co_name == "<module>":
        try:
            exec("raise KeyboardInterrupt")  # noqa: S102
        except KeyboardInterrupt:
            return
