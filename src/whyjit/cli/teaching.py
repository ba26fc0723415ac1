"""The lesson in the terminal: a part after the other, a step after the other, at the reader's pace."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from whyjit.lesson import catalogue, progress, running, source
from whyjit.lesson.model import Exercise, Part, Prediction, Program, Prose, Question, Step
from whyjit.lesson.progress import Progress

_WIDTH = 96


class Leave(Exception):  # noqa: N818 - no error: the reader has had enough for now
    """The reader wants to go on another time."""


def teach(number: int | None) -> None:
    """Teach from the reader's place on, or from the beginning of a part."""
    place = progress.load()
    if number is not None:
        place.part, place.step = number, 0
    console = Console(width=min(_WIDTH, Console().width), highlight=False)
    try:
        _Teacher(console, place).teach()
    except (Leave, click.Abort, EOFError, KeyboardInterrupt):
        place.save()
        console.print("\nYour place is kept. Go on with: whyjit learn")


class _Teacher:
    def __init__(self, console: Console, place: Progress) -> None:
        self._console = console
        self._place = place

    def teach(self) -> None:
        """All that is left of the lesson."""
        parts = source.parts()
        if self._place.part > len(parts):
            self._place.part, self._place.step = 1, 0
        for part in parts[self._place.part - 1 :]:
            self._console.rule(f"{part.number}. {part.title} ({part.minutes} min)")
            for at in range(self._place.step, len(part.steps)):
                self._console.print()
                self._step(part, part.steps[at])
                self._place.step = at + 1
                self._place.save()
            self._place.part, self._place.step = part.number + 1, 0
            self._place.save()
            if part is not parts[-1]:
                self._pause("Enter begins the next part, q stops here")
        self._console.print("\nThat was the lesson.")

    def _step(self, part: Part, step: Step) -> None:
        match step:
            case Prose():
                self._console.print(Markdown(step.text))
            case Program():
                self._program(part, step)
            case Prediction():
                self._predict(part, step)
            case Question():
                self._question(step)
            case Exercise():
                self._exercise(step)

    def _program(self, part: Part, program: Program) -> None:
        self._console.print(Syntax(program.source.rstrip(), "python", background_color="default"))
        if any(isinstance(step, Prediction) and step.program == program.name for step in part.steps):
            return  # it runs when the prediction has been made
        self._pause("Enter runs it, q stops here")
        self._show(program, self._run(program))

    def _run(self, program: Program, ledgers: tuple[str, ...] = ()) -> list[running.Ran]:
        if program.needs and find_spec(program.needs) is None:
            self._console.print(f"It needs a package that is not installed here: {program.needs}. It is left out.")
            return []
        with self._console.status("running"):
            return running.run(program, ledgers)

    def _show(self, program: Program, ran: list[running.Ran]) -> None:
        for turn, one in enumerate(ran, 1):
            if len(ran) > 1:
                self._console.print(f"\nProcess {turn}:")
            errors = one.ended.errors.split("\nwhyjit: ")[0]  # without the summary of the run
            for text in (one.ended.output, errors if program.fails or one.ended.status else ""):
                if text.strip():
                    self._console.print(Text(running.FOLDER.sub("", text).rstrip(), style="dim"))
            for command, answer in one.answers.items():
                self._console.print(f"\n$ whyjit {command}", style="bold", markup=False)
                self._console.print(Text(answer.rstrip()))

    def _predict(self, part: Part, asked: Prediction) -> None:
        self._console.print(Markdown(asked.prompt))
        given: list[int] = []
        hints = list(asked.hints)
        for number, call in enumerate(asked.calls, 1):
            while True:
                answer = self._ask(f"  after call {number} ({call})")
                if answer.isdigit():
                    given.append(int(answer))
                    break
                self._hint(answer, hints, "a number")
        self._place.answers[asked.id] = given
        program = part.program(asked.program)
        ran = self._run(program, (asked.function,))
        if ran:
            self._compare(asked, given, ran[0].ledgers[asked.function])
        self._console.print(Markdown(asked.reasoning))
        self._show(program, ran)

    def _compare(self, asked: Prediction, given: list[int], seen: list[int]) -> None:
        table = Table("call", "", "your prediction", "the ledger", box=None, header_style="bold")
        for number, (call, mine, theirs) in enumerate(zip(asked.calls, given, seen, strict=True), 1):
            table.add_row(str(number), call, str(mine), str(theirs) + ("" if mine == theirs else "  <-"))
        self._console.print(table)
        wrong = sum(mine != theirs for mine, theirs in zip(given, seen, strict=True))
        self._console.print("\nAll as you said.\n" if not wrong else f"\n{wrong} of {len(seen)} are otherwise.\n")

    def _question(self, asked: Question) -> None:
        self._console.print(Markdown(asked.prompt))
        letters = source.LETTERS[: len(asked.options)]
        for letter, option in zip(letters, asked.options, strict=True):
            self._console.print(Markdown(f"**{letter}**  {option}"))
        hints = list(asked.hints)
        while True:
            answer = self._ask("your answer").lower()
            if len(answer) == 1 and answer in letters:
                break
            self._hint(answer, hints, f"a letter from {letters[0]} to {letters[-1]}")
        self._place.answers[asked.id] = answer
        right = letters[asked.answer]
        self._console.print(f"\n{answer} is right." if answer == right else f"\nNot {answer}: {right} is right.")
        self._console.print(Markdown(asked.reasoning))

    def _exercise(self, step: Exercise) -> None:
        task = catalogue.find(step.name)
        if task is None:
            return
        self._console.rule(f"Exercise {task.number}, {task.level}: {task.title}", style="dim")
        self._console.print(Markdown(task.task))
        file = Path(f"{task.name}.py")
        if not file.exists():
            file.write_text(task.text("starter.py"), encoding="utf-8")
        self._console.print(f"\nIt begins in {file}. Check it in another terminal, as often as you like:")
        self._console.print(f"\n    whyjit learn check {task.number} {file}\n", style="bold", markup=False)
        hints = list(task.hints)
        while (answer := self._ask("Enter goes on", default="")) != "":
            self._hint(answer, hints, "Enter")

    def _hint(self, answer: str, hints: list[str], wanted: str) -> None:
        if answer.lower() not in ("h", "hint"):
            self._console.print(f"  Write {wanted}; h is for a hint, q stops here.")
        elif hints:
            self._console.print(Markdown(f"*Hint:* {hints.pop(0)}"))
        else:
            self._console.print("  There are no more hints.")

    def _pause(self, text: str) -> None:
        self._ask(text, default="")

    def _ask(self, text: str, default: str | None = None) -> str:
        answer: str = click.prompt(text, default=default, show_default=False, prompt_suffix=": ")
        answer = answer.strip()
        if answer.lower() in ("q", "quit"):
            raise Leave
        return answer
