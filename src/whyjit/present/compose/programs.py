"""One staged program, under the source lines it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.compose.equations import Line, lines_of
from whyjit.present.compose.words import as_role, words
from whyjit.present.document import Block, Code, CodeLine, Document, Heading, Mark, Paragraph, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whyjit.model.program import Program

_INDENT = "  "


def program(
    program: Program,
    source: Mapping[tuple[str, int], str] | None = None,
    *,
    title: str = "program",
    directory: str = "",
) -> Document:
    """A program with the user's source above the equations it gave. `source` maps file and line to the line's text."""
    lines = lines_of(program)
    equations = sum(1 for line in lines if " = " in line.text)
    blocks: list[Block] = [
        Heading(words(Span(title, "name")), 1),
        Paragraph(as_role(units.plural(equations, "equation"), "dim")),
        Code(tuple(_code(lines, source or {}, directory))),
    ]
    return Document(title, tuple(blocks))


def _code(lines: Iterable[Line], source: Mapping[tuple[str, int], str], directory: str) -> Iterable[CodeLine]:
    place = ("", 0)
    for line in lines:
        here = (line.file, line.line)
        if line.file and here != place:
            place = here
            where = f"{paths.short(line.file, directory)}:{line.line}"
            text = source.get(here, "").strip()
            yield CodeLine(f"{_INDENT * line.depth}# {where}  {text}".rstrip(), tone="dim")
        yield code_line(line)


def code_line(line: Line, marks: tuple[Mark, ...] = ()) -> CodeLine:
    """A line of a program, moved in by its depth; marks are given for the text without the indent."""
    indent = _INDENT * line.depth
    moved = tuple(
        Mark(mark.start + len(indent), mark.end + len(indent), mark.role, mark.under, mark.label) for mark in marks
    )
    return CodeLine(indent + line.text, marks=moved)
