"""Run one function in a fresh Python of its own, with limits, so that whatever it does stays there.

An experiment needs this for two reasons: JAX's caches warm each other within a process, and a program under experiment
may crash, hang, or take all memory. The child is the same interpreter with the same `sys.path`.

The result travels through a file in a temporary folder, never on standard output: the program may print.
Connections to other machines are refused in the child by replacing the methods of Python's own `socket`. That is a
precaution against programs that download something when they are imported, and no sandbox: code that goes round
Python's `socket` still reaches the network.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

from whyjit.experiment import apart_child

_POLL_S = 0.05
_TAIL = 4000
_OUTPUT_MB = 64
_MEGA = 2**20
# A process started by `whyjit run` is told so by these; what an experiment starts is not part of that run.
_RUN = "WHYJIT_RUN_"
# Several children share a machine with the program that started them: none may take a whole accelerator.
_DEFAULTS = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task: its `result`, or in `failure` one line on why there is none.

    `stdout` and `stderr` are the last characters that were printed, `seconds` the time from start to end, that of
    starting Python included.
    """

    result: bytes | None
    failure: str | None
    stdout: str
    stderr: str
    seconds: float


def run_apart(
    task: str,
    payload: bytes,
    *,
    timeout_s: float,
    memory_mb: int | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Outcome:
    """Call `task` with `payload` in a fresh process and wait for its result.

    Arguments:
      task: the function, as "whyjit.module:function"; it takes bytes and returns bytes.
      payload: what it is called with.
      timeout_s: seconds after which the process is killed, together with the processes in its group.
      memory_mb: megabytes of memory in use (resident, of the process itself) above which it is killed. The limits that
        the operating system offers would not do: XLA reserves seven times the address space that it uses, and where
        RLIMIT_DATA bites, it cannot start its threads and ends the process.
      env: variables that are set besides those of this process.
      cwd: the working directory of the child.

    Never raises for what happens in the child; all of that is in the outcome.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="whyjit-") as name:
        folder = Path(name)
        (folder / "payload").write_bytes(payload)
        request = {"task": task, "path": [entry or str(Path.cwd()) for entry in sys.path]}
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        with _child(folder, _environment(env), cwd) as process:
            stopped = _watch(process, folder, started + timeout_s, memory_mb)
            failure = f"timed out after {timeout_s:g} s" if stopped == "time" else stopped
        result, told = _answer(folder)
        if failure is None and result is None:
            failure = told or _ended(process.returncode)
        seconds = time.monotonic() - started
        return Outcome(
            None if failure else result, failure, _tail(folder / "stdout"), _tail(folder / "stderr"), seconds
        )


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_RUN)}
    return {**_DEFAULTS, **kept, **(extra or {})}


@contextlib.contextmanager
def _child(folder: Path, env: dict[str, str], cwd: Path | None) -> Generator[subprocess.Popen[bytes]]:
    """A running child that is gone afterwards, with its whole group, however this ends."""
    # The child reads from this pipe until the end of time, which comes when this process is gone.
    leash, held = os.pipe()
    process = None
    try:
        with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
            process = subprocess.Popen(  # noqa: S603 - this interpreter, with a file of ours
                [sys.executable, "-P", apart_child.__file__, str(folder), str(leash)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=env,
                cwd=cwd,
                pass_fds=(leash,),
                start_new_session=True,
            )
        yield process
    finally:
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.close(leash)
        os.close(held)


def _watch(process: subprocess.Popen[bytes], folder: Path, deadline: float, memory_mb: int | None) -> str | None:
    """Wait for the end. The answer says which limit was passed, if one was; the child still runs then."""
    while True:
        remaining = deadline - time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, min(_POLL_S, remaining)))
            return None
        if remaining <= 0:
            return "time"
        if memory_mb is not None and _resident(process.pid) > memory_mb * _MEGA:
            return f"used more than {memory_mb} MB of memory"
        if any((folder / name).stat().st_size > _OUTPUT_MB * _MEGA for name in ("stdout", "stderr")):
            return f"printed more than {_OUTPUT_MB} MB"


def _resident(pid: int) -> int:
    """The bytes of memory that a process has in use; 0 where that cannot be told."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    try:
        shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=False)  # noqa: S603, S607
        return int(shown.stdout or 0) * 1024
    except (OSError, ValueError):
        return 0


def _answer(folder: Path) -> tuple[bytes | None, str | None]:
    """The result that the child left, and the failure that it told."""
    result, failure = folder / "result", folder / "failure"
    told = failure.read_text("utf-8") if failure.exists() else None
    return result.read_bytes() if result.exists() else None, told


def _ended(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status} before it had a result"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = ""
    hints = {"SIGKILL": "memory?", "SIGSEGV": "a crash outside Python", "SIGABRT": "a crash outside Python"}
    hint = hints.get(name, name)
    return f"killed by signal {-status}" + (f" ({hint})" if hint else "")


def _tail(file: Path) -> str:
    with file.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - 4 * _TAIL))
        return stream.read().decode("utf-8", "replace")[-_TAIL:]
