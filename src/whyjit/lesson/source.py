"""The lesson's text, read from the Markdown files in `parts/`.

A part begins with a heading, `# Title (N minutes)`. Between its prose stand fenced blocks, told apart by the first
word of their info string:

    ```python program NAME [commands="ledger f; why f"] [fails=ErrorName] [needs=package] [times=2]
    ```predict      a table to fill, as TOML: the fields of `model.Prediction`
    ```question     a choice, as TOML: the fields of `model.Question`, the answer as a letter
    ```exercise NAME

Any other fence is prose.
"""

from __future__ import annotations

import functools
import re
import shlex
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt

from whyjit.lesson.model import Exercise, Part, Prediction, Program, Prose, Question, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(r"# (?P<title>.+) \((?P<minutes>\d+) minutes\)")
LETTERS = "abcdefgh"


@functools.cache
def parts() -> tuple[Part, ...]:
    """All parts in their order."""
    folder = resources.files("whyjit.lesson").joinpath("parts")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".md")), key=lambda file: file.name)
    return tuple(parse(number, file.read_text(encoding="utf-8")) for number, file in enumerate(files, 1))


def parse(number: int, text: str) -> Part:
    """A part from its Markdown.

    Raises:
      ValueError: the heading or a block is not as this module's docstring says; the message names it.
    """
    heading, _, body = text.partition("\n")
    match = _HEADING.fullmatch(heading)
    if match is None:
        raise ValueError(f"part {number} does not begin with a heading like `# Title (8 minutes)`: {heading!r}")
    return Part(number, match["title"], int(match["minutes"]), tuple(_steps(body)))


def _steps(body: str) -> Iterator[Step]:
    lines = body.splitlines()
    done = 0
    for token in MarkdownIt().parse(body):
        if token.type != "fence" or token.map is None:
            continue
        step = _block(token.info, token.content)
        if step is None:
            continue
        first, after = token.map
        yield from _prose(lines[done:first])
        yield step
        done = after
    yield from _prose(lines[done:])


def _prose(lines: list[str]) -> Iterator[Prose]:
    text = "\n".join(lines).strip()
    if text:
        yield Prose(text)


def _block(info: str, content: str) -> Step | None:
    words = shlex.split(info)
    match words:
        case ["python", "program", name, *rest]:
            options = dict(word.split("=", 1) for word in rest)
            commands = tuple(command.strip() for command in options.get("commands", "").split(";") if command.strip())
            times = int(options.get("times", "1"))
            return Program(name, content, commands, options.get("fails", ""), options.get("needs", ""), times)
        case ["predict"]:
            return Prediction(**_fields(content))
        case ["question"]:
            fields = _fields(content)
            return Question(**{**fields, "answer": LETTERS.index(fields["answer"])})
        case ["exercise", name]:
            return Exercise(name)
        case _:
            return None


def _fields(content: str) -> dict[str, Any]:
    """A block's TOML; lists become tuples, and text loses the blank around it."""
    fields = tomllib.loads(content)
    return {
        name: tuple(value) if isinstance(value, list) else value.strip() if isinstance(value, str) else value
        for name, value in fields.items()
    }
