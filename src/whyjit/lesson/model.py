"""What the lesson is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown to read."""

    text: str


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is run under whyjit, in a process of its own.

    `commands` are asked of its recording afterwards, each as it would follow `whyjit`. `fails` is the error that ends
    the program, "" where it ends well. `needs` is a package beyond JAX. `times` is how many processes run it.
    """

    name: str
    source: str
    commands: tuple[str, ...] = ()
    fails: str = ""
    needs: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True)
class Prediction:
    """A table to fill before the program runs: the traces of `function` observed after each call."""

    id: str
    program: str
    function: str
    prompt: str
    calls: tuple[str, ...]
    hints: tuple[str, ...]
    reasoning: str


@dataclass(frozen=True, slots=True)
class Question:
    """A choice to make before the reasoning is shown. `answer` is the index of the right option."""

    id: str
    prompt: str
    options: tuple[str, ...]
    answer: int
    hints: tuple[str, ...]
    reasoning: str


@dataclass(frozen=True, slots=True)
class Exercise:
    """The place of an exercise in the lesson."""

    name: str


Step = Prose | Program | Prediction | Question | Exercise


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the lesson. `minutes` is what it takes at a quiet pace."""

    number: int
    title: str
    minutes: int
    steps: tuple[Step, ...]

    def program(self, name: str) -> Program:
        """The program of that name.

        Raises:
          KeyError: the part has none.
        """
        for step in self.steps:
            if isinstance(step, Program) and step.name == name:
                return step
        raise KeyError(name)
