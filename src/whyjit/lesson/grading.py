"""A reader's file, put to its trial in a process of its own, and judged by what the ledger shows."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from whyjit import WhyjitError
from whyjit.lesson import catalogue, judging, running
from whyjit.lesson.catalogue import Task
from whyjit.lesson.seen import Json, Remark, Seen

TIME_LIMIT_S = 60.0
# What the process may take to start, and to write what it saw, beyond the reader's own time.
_GRACE_S = 60.0
_STUCK = re.compile(r'File "(?P<file>.+)", line (?P<line>\d+)')


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether an answer passed, and what there is to say of it."""

    passed: bool
    remarks: tuple[Remark, ...]


def check(task: Task, file: Path, *, limit_s: float = TIME_LIMIT_S) -> Grade:
    """Run a reader's file and judge it.

    Arguments:
      task: the exercise.
      file: the reader's answer.
      limit_s: the seconds that the reader's code may take.

    Raises:
      WhyjitError: there is no such file.
    """
    if not file.is_file():
        raise WhyjitError(f"there is no file {file}; begin with: whyjit learn starter {task.number}")
    answer = file.resolve()
    with tempfile.TemporaryDirectory(prefix="whyjit-lesson-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        ended = _try(task, answer, folder, limit_s)
        trial, report = _read(folder / "seen.json"), _read(folder / "report.json")
        stuck = _stuck_line(folder / "stuck.txt", answer)
    if trial is None:
        return Grade(False, (_no_result(ended, stuck, limit_s),))
    functions = [each for each in (report or {}).get("functions", []) if Path(folder, each["file"]) == answer]
    source = answer.read_text(encoding="utf-8", errors="replace")
    remarks = tuple(_remarks(task, Seen(answer, source, trial, functions, (report or {}).get("failures", []))))
    return Grade(all(remark.kind != "wrong" for remark in remarks), remarks)


def _try(task: Task, answer: Path, folder: Path, limit_s: float) -> running.Ended:
    (folder / "harness.py").write_text(catalogue.harness(), encoding="utf-8")
    for each in task.folder().iterdir():
        if each.name in ("trial.py", "original.py"):
            (folder / each.name).write_text(each.read_text(encoding="utf-8"), encoding="utf-8")
    command = ["run", "--quiet", "--out", "runs", "--json", "report.json"]
    try:
        return running.whyjit(
            [*command, "harness.py", str(answer), "seen.json", str(limit_s)], folder, limit_s=limit_s + _GRACE_S
        )
    finally:
        shutil.rmtree(folder / "runs", ignore_errors=True)


def _read(file: Path) -> Json | None:
    try:
        content: Json = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content


def _stuck_line(file: Path, answer: Path) -> int | None:
    """The innermost line of the answer that was running when the time was up."""
    if not file.exists():
        return None
    found = _STUCK.finditer(file.read_text(encoding="utf-8", errors="replace"))
    return next((int(match["line"]) for match in found if match["file"] == str(answer)), None)


def _no_result(ended: running.Ended, stuck: int | None, limit_s: float) -> Remark:
    if stuck is not None or ended.status is None:
        where = f" It was at line {stuck}." if stuck is not None else ""
        return Remark(
            "wrong", f"it did not end within {limit_s:g} s.{where} A loop that never ends, or one that is very long?"
        )
    if ended.status < 0:
        return Remark("wrong", f"its process was killed by signal {-ended.status}")
    last = ended.errors.strip().splitlines()[-1:] or [f"exit status {ended.status}"]
    return Remark("wrong", f"it ended before its trial did: {last[0]}")


def _remarks(task: Task, seen: Seen) -> Iterator[Remark]:
    printed = seen.trial.get("printed")
    if printed:
        where = f"line {printed['line']}" if printed["line"] else "it"
        yield Remark(
            "note", f"{where} prints {printed['text']!r}: inside a jitted function that happens while it is traced only"
        )
    stage = seen.trial["stage"]
    if stage == "names":
        names = ", ".join(f"`{name}`" for name in seen.trial["missing"])
        yield Remark("wrong", f"the file defines no {names}")
        return
    if stage != "done":
        yield Remark("wrong", _broken(seen.trial))
        return
    yield from judging.results(seen)
    wrong = any(not each["ok"] for each in seen.checks)
    general = list(judging.always(seen))
    yield from general
    if not wrong and not any(remark.kind == "wrong" for remark in general):
        yield from task.judge(seen)


def _broken(trial: Json) -> str:
    where = f"line {trial['line']}" if trial.get("line") else "it"
    when = "when it is loaded" if trial["stage"] == "load" else "when it is called"
    if trial["error"] in ("SystemExit", "os._exit"):
        return f"{where} ends the process {when}"
    said = f": {trial['message']}" if trial.get("message") else ""
    return f"{where} raises {trial['error']} {when}{said}"
