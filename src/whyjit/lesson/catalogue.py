"""The exercises: their task, their files, and what the ledger is to show."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from whyjit.lesson import judging
from whyjit.lesson.seen import Remark, Seen

Judge = Callable[[Seen], Iterable[Remark]]


@dataclass(frozen=True, slots=True)
class Task:
    """An exercise. `judge` says what the ledger shows of an answer whose results are right."""

    number: int
    name: str
    level: str
    title: str
    task: str
    hints: tuple[str, ...]
    judge: Judge

    def text(self, file: str) -> str:
        """The text of one of its files: starter.py, solution.py or trial.py."""
        return self.folder().joinpath(file).read_text(encoding="utf-8")

    def folder(self) -> Traversable:
        """Where its files are."""
        return _folder().joinpath(self.name)


def _folder() -> Traversable:
    return resources.files("whyjit.lesson").joinpath("exercises")


def harness() -> str:
    """The program that puts an answer to its trial."""
    return _folder().joinpath("harness.py").read_text(encoding="utf-8")


_JUDGES: tuple[tuple[str, Judge], ...] = (
    ("foundation", judging.one_trace_for_each_mode_and_length),
    ("practice", judging.values_add_no_trace),
    ("challenge", judging.prediction),
    ("over-static", judging.two_programs),
    ("branch-in-scan", judging.scan_is_kept),
)


@functools.cache
def tasks() -> tuple[Task, ...]:
    """All exercises, numbered from 1."""
    return tuple(_task(number, name, judge) for number, (name, judge) in enumerate(_JUDGES, 1))


def find(name: str) -> Task | None:
    """The exercise of that name or number, if there is one."""
    return next((task for task in tasks() if name in (task.name, str(task.number))), None)


def _task(number: int, name: str, judge: Judge) -> Task:
    text = tomllib.loads(_folder().joinpath(name, "task.toml").read_text(encoding="utf-8"))
    return Task(number, name, text["level"], text["title"], text["task"].strip(), tuple(text["hints"]), judge)
