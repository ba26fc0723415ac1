"""Answers to the exercises, right and wrong: each is told what the ledger shows of it.

The files in `lesson/` say in a comment what must be among the remarks, and whether they pass.
"""

import re
from pathlib import Path

import pytest

pytest.importorskip("jax")

from whyjit import WhyjitError
from whyjit.lesson import catalogue, grading

pytestmark = pytest.mark.e2e

ANSWERS = sorted((Path(__file__).parent / "lesson").glob("*/*.py"))
LIMITS = {"loops": 8.0}


def said(grade):
    return "\n".join(remark.text for remark in grade.remarks)


@pytest.mark.parametrize("file", ANSWERS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_answer(file):
    task = catalogue.find("practice" if file.parent.name == "broken" else file.parent.name)
    source = file.read_text()
    grade = grading.check(task, file, limit_s=LIMITS.get(file.stem, grading.TIME_LIMIT_S))
    assert re.search(r"# says: (.+)", source)[1] in said(grade)
    assert grade.passed == ("# passes" in source), said(grade)


@pytest.mark.parametrize("task", catalogue.tasks(), ids=lambda task: task.name)
def test_the_reference_solution_passes_and_the_starter_does_not(task, tmp_path):
    for name in ("solution.py", "starter.py"):
        (tmp_path / name).write_text(task.text(name))
    solution, starter = (grading.check(task, tmp_path / name) for name in ("solution.py", "starter.py"))
    assert solution.passed, said(solution)
    assert not starter.passed
    assert {remark.kind for remark in starter.remarks} >= {"wrong"}


def test_an_answer_that_is_not_there(tmp_path):
    with pytest.raises(WhyjitError, match="there is no file"):
        grading.check(catalogue.tasks()[0], tmp_path / "none.py")
