"""`whyjit learn`: the lesson."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.lesson.catalogue import Task
    from whyjit.lesson.grading import Grade

_USAGE = "write: whyjit learn [N], whyjit learn starter N [FILE], or whyjit learn check N FILE"


@click.command()
@click.option("--list", "listing", is_flag=True, help="List the parts and the exercises, and what is done.")
@click.argument("words", metavar="[N | starter N [FILE] | check N FILE]", nargs=-1)
def command(listing: bool, words: tuple[str, ...]) -> None:
    """Learn tracing, static arguments and recompilation, in an hour.

    It goes on where you stopped; your place is kept in .whyjit/lesson.json. N begins part N. `starter` writes the file
    that exercise N begins with, and `check` runs your answer and says what the ledger shows; the exit status is 1 where
    it does not pass.

    \b
    whyjit learn
    whyjit learn starter 1 answer.py
    whyjit learn check 1 answer.py
    """  # noqa: D301 - \b is for click
    if listing:
        _list()
        return
    match words:
        case () | (_,) if not words or words[0].isdigit():
            from whyjit.cli import teaching

            teaching.teach(_part(words[0]) if words else None)
        case ("starter", number) | ("starter", number, _):
            task = _task(number)
            _write_starter(task, Path(words[2]) if len(words) > 2 else Path(f"{task.name}.py"))
        case ("check", number, file):
            _check(_task(number), Path(file))
        case _:
            raise WhyjitError(_USAGE)


def _list() -> None:
    from whyjit.lesson import catalogue, progress, source
    from whyjit.lesson.model import Exercise

    place = progress.load()
    for part in source.parts():
        here = "  <- you are here" if part.number == place.part and (place.step or place.part > 1) else ""
        click.echo(f"{part.number}. {part.title} ({part.minutes} min){here}")
        for step in part.steps:
            if isinstance(step, Exercise):
                task = catalogue.find(step.name)
                if task is not None:
                    done = "  passed" if task.name in place.passed else ""
                    click.echo(f"   exercise {task.number}: {task.title} ({task.level}){done}")


def _part(text: str) -> int:
    from whyjit.lesson import source

    number, last = int(text), len(source.parts())
    if not 1 <= number <= last:
        raise WhyjitError(f"there is no part {number}; the lesson has the parts 1 to {last}: whyjit learn --list")
    return number


def _task(text: str) -> Task:
    from whyjit.lesson import catalogue

    task = catalogue.find(text)
    if task is None:
        known = ", ".join(f"{each.number} {each.name}" for each in catalogue.tasks())
        raise WhyjitError(f"there is no exercise {text!r}; there are: {known}")
    return task


def _write_starter(task: Task, file: Path) -> None:
    """Write the file an exercise begins with; the reader's work is never written over."""
    if file.exists():
        raise WhyjitError(f"{file} exists already; name another file: whyjit learn starter {task.number} FILE")
    from whyjit.cli import common

    common.write_file(file, task.text("starter.py"))
    click.echo(f"Wrote {file}. When you are done: whyjit learn check {task.number} {file}")


def _check(task: Task, file: Path) -> None:
    from whyjit.lesson import grading, progress

    place = progress.load()
    grade = grading.check(task, file)
    _tell(task, grade)
    if grade.passed and task.name not in place.passed:
        place.passed.append(task.name)
        place.save()
    if not grade.passed:
        raise SystemExit(1)


def _tell(task: Task, grade: Grade) -> None:
    marks = {"right": "ok ", "note": "-- ", "wrong": "no "}
    for remark in grade.remarks:
        click.echo(marks[remark.kind] + remark.text)
    if grade.passed:
        click.echo(f"Exercise {task.number}, {task.title}: passed.")
    else:
        click.echo(f"Exercise {task.number}, {task.title}: not yet. Hints are in the lesson: whyjit learn")
