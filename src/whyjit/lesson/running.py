"""Programs of the lesson and of its readers, run under whyjit in processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whyjit.lesson.model import Program

TIME_LIMIT_S = 300.0
# A folder that a program of the lesson runs in, as it stands in a traceback.
FOLDER = re.compile(r"[^\s\"']*whyjit-lesson-\w+/")
Report = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: `status` is None where the time limit ended it."""

    status: int | None
    output: str
    errors: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that ran: what it printed, its report, and the answers of whyjit's commands to what was asked."""

    ended: Ended
    report: Report | None
    answers: dict[str, str] = field(default_factory=dict)
    ledgers: dict[str, list[int]] = field(default_factory=dict)


def run(program: Program, ledgers: Sequence[str] = ()) -> list[Ran]:
    """Run a program as often as it says, each time in a fresh process.

    Arguments:
      program: the program.
      ledgers: functions whose traces after each call are wanted.
    """
    with _folder() as folder:
        (folder / f"{program.name}.py").write_text(program.source, encoding="utf-8")
        return [_once(program, ledgers, folder, turn) for turn in range(program.times)]


def _once(program: Program, ledgers: Sequence[str], folder: Path, turn: int) -> Ran:
    runs, report_file = f"run{turn}", folder / f"report{turn}.json"
    kept = ["--keep-arguments"] if "advise" in program.commands else []  # a proof needs the arguments
    flags = [*kept, "--out", runs, "--json", report_file.name, *([] if program.fails else ["--quiet"])]
    ended = whyjit(["run", *flags, f"{program.name}.py"], folder)
    report = json.loads(report_file.read_text(encoding="utf-8")) if report_file.exists() else None
    # Shown as a reader's own run would be named.
    answers = {
        command: whyjit([*command.split(), runs], folder).output.replace(f"{runs}/", ".whyjit/")
        for command in program.commands
    }
    return Ran(ended, report, answers, {name: _traces(name, runs, folder) for name in ledgers})


def _traces(function: str, runs: str, folder: Path) -> list[int]:
    """The traces of a function observed after each of its calls, as the ledger has them."""
    rows = json.loads(whyjit(["ledger", function, runs, "--json", "-"], folder).output)["rows"]
    return [row["traces"] for row in rows for _ in range(row["count"])]


def whyjit(arguments: Sequence[str], folder: Path, *, limit_s: float = TIME_LIMIT_S) -> Ended:
    """Run the whyjit command in a folder. What it starts is ended with it when the time is up."""
    command = [sys.executable, "-m", "whyjit", *arguments]
    environment = {**os.environ, "COLUMNS": "100", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(  # noqa: S603 - the lesson's own command, on a file that its reader wrote
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=limit_s)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        status = None
    return Ended(status, output.decode(errors="replace"), errors.decode(errors="replace"))


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="whyjit-lesson-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
