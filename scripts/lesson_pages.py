"""Make the lesson's page and notebook, docs/lesson/README.md and docs/lesson/lesson.ipynb, from its one source.

    python scripts/lesson_pages.py [--page] [--notebook]

Every program is run anew, for the page under `whyjit run` and for the notebook in its cells.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import nbclient
import nbformat
from nbformat import NotebookNode, v4

from whyjit.lesson import catalogue, running, source
from whyjit.lesson.model import Exercise, Part, Prediction, Program, Prose, Question, Step

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "lesson"
INTRODUCTION = """\
# The lesson

About {minutes} minutes with the call ledger. `whyjit learn` teaches the same in the terminal, waits for your answers
before it shows any reasoning, keeps your place, and checks your exercises.
"""


def page(*, run: bool = True) -> str:
    """The lesson as Markdown; without `run`, what is the same in every making of it."""
    parts = source.parts()
    text = [INTRODUCTION.format(minutes=sum(part.minutes for part in parts))]
    for part in parts:
        text.append(f"## {part.number}. {part.title}\n")
        text += [block for step in part.steps for block in _page_step(part, step, run=run)]
    return "\n".join(text)


def _page_step(part: Part, step: Step, *, run: bool) -> Iterator[str]:
    match step:
        case Prose():
            yield step.text + "\n"
        case Program():
            yield f"```python\n{step.source.rstrip()}\n```\n"
            if run and not _is_predicted(part, step):
                yield from _output(step)
        case Prediction():
            yield _asked(step)
            if run:
                yield from _output(part.program(step.program))
        case Question():
            yield _asked(step)
        case Exercise():
            yield _exercise(step)


def _is_predicted(part: Part, program: Program) -> bool:
    return any(isinstance(step, Prediction) and step.program == program.name for step in part.steps)


def _output(program: Program) -> Iterator[str]:
    for ran in running.run(program):
        errors = ran.ended.errors.split("\nwhyjit: ")[0] if program.fails else ""
        for text in (ran.ended.output, errors):
            if text.strip():
                yield f"```text\n{_without_folder(text)}\n```\n"
        for command, answer in ran.answers.items():
            yield f"```text\n$ whyjit {command}\n\n{_without_folder(answer)}\n```\n"


def _without_folder(text: str) -> str:
    """The text without the folder that the program ran in."""
    return running.FOLDER.sub("", text).strip("\n")


def _asked(step: Question | Prediction) -> str:
    lines = [f"**{step.prompt}**", ""]
    if isinstance(step, Question):
        lines += [f"- {letter}. {option}" for letter, option in zip(source.LETTERS, step.options, strict=False)]
        answer = f"**{source.LETTERS[step.answer]}.** {step.reasoning}"
    else:
        lines += [f"{number}. {call}" for number, call in enumerate(step.calls, 1)]
        answer = step.reasoning
    lines.append("")
    lines += [_details(f"Hint {number}", hint) for number, hint in enumerate(step.hints, 1)]
    return "\n".join([*lines, _details("Answer", answer)])


def _exercise(step: Exercise) -> str:
    task = catalogue.find(step.name)
    if task is None:
        raise ValueError(f"there is no exercise {step.name}")
    starter = f"```python\n{task.text('starter.py').rstrip()}\n```"
    begin = f"    whyjit learn starter {task.number}\n    whyjit learn check {task.number} {task.name}.py\n"
    hints = [_details(f"Hint {number}", hint) for number, hint in enumerate(task.hints, 1)]
    return "\n".join(
        [f"### Exercise {task.number}, {task.level}: {task.title}\n", task.task + "\n", begin, starter + "\n", *hints]
    )


def _details(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text.strip()}\n\n</details>\n"


def notebook() -> NotebookNode:
    """The lesson as a notebook that has not been run."""
    parts = source.parts()
    book = v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    introduction = INTRODUCTION.format(minutes=sum(part.minutes for part in parts))
    book.cells = [v4.new_markdown_cell(introduction), v4.new_code_cell("%load_ext whyjit")]
    for part in parts:
        book.cells.append(v4.new_markdown_cell(f"## {part.number}. {part.title}"))
        for step in part.steps:
            book.cells += _cells(part, step)
    for number, cell in enumerate(book.cells):
        cell["id"] = f"cell-{number}"
    return book


def _cells(part: Part, step: Step) -> list[NotebookNode]:
    if not isinstance(step, Program):
        text = "\n".join(_page_step(part, step, run=False)).strip()
        cells = [v4.new_markdown_cell(text)]
        if isinstance(step, Prediction):
            cells.append(_program_cell(part.program(step.program)))
        return cells
    if _is_predicted(part, step):
        return [v4.new_markdown_cell(f"```python\n{step.source.rstrip()}\n```")]
    return [_program_cell(step)]


def _program_cell(program: Program) -> NotebookNode:
    code = program.source.rstrip()
    if program.commands and program.times == 1:
        code = f"%%whyjit\n{code}"
    cell = v4.new_code_cell(code)
    if program.fails:
        cell.metadata["tags"] = ["raises-exception"]
    return cell


def _of_no_machine(text: str) -> str:
    """The notebook without the folders of the machine that ran it."""
    text = re.sub(r"/\w+/ipykernel_\d+/\d+\.py", "cell", text)
    return re.sub(r"/[^\s\"'\\]*/site-packages/", "", text) + "\n"


def main() -> None:
    """Write what is asked for, both if nothing is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--notebook", action="store_true")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if options.page or not options.notebook:
        (FOLDER / "README.md").write_text(page(), encoding="utf-8")
    if options.notebook or not options.page:
        book = notebook()
        nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute()
        for cell in book.cells:
            cell.metadata.pop("execution", None)  # when each cell ran is nobody's business
        (FOLDER / "lesson.ipynb").write_text(_of_no_machine(nbformat.writes(book)), encoding="utf-8")


if __name__ == "__main__":
    main()
