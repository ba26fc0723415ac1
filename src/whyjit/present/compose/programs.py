"""One staged program, with the source lines it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from whyjit.present import paths, units
from whyjit.present.compose.equations import code_line, count, lines_of
from whyjit.present.compose.words import as_role, words
from whyjit.present.document import Block, Code, CodeLine, Document, Heading, Paragraph, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from whyjit.model.program import Program
    from whyjit.present.compose.equations import Line


def program(
    program: Program,
    source: Mapping[tuple[str, int], str] | None = None,
    *,
    title: str = "program",
    directory: str = "",
    unfold: bool = False,
    notes: Iterable[str] = (),
) -> Document:
    """A program with the user's source beside the equations it gave, inner programs folded unless `unfold`.

    `source` maps file and line to the line's text. `notes` are said below the title.
    """
    lines = lines_of(program, unfold=unfold)
    equations = count(program)
    inner = equations - len(program.equations)
    size = units.plural(equations, "equation")
    if inner and not unfold:
        size += f", {inner} of them in programs that are folded; --unfold shows them"
    elif inner:
        size += f", {inner} of them in programs inside it"
    blocks: list[Block] = [
        Heading(words(Span(title, "name")), 1),
        Paragraph(as_role(size, "dim")),
        *(Paragraph(as_role(note, "warn")) for note in notes),
        Code(tuple(_code(lines, source or {}, directory)), beside=True),
    ]
    return Document(title, tuple(blocks))


def _code(lines: Iterable[Line], source: Mapping[tuple[str, int], str], directory: str) -> Iterator[CodeLine]:
    before = ("", 0)
    for line in lines:
        here = (line.file, line.line)
        made = code_line(line)
        if line.file and here != before:
            before = here
            made = msgspec.structs.replace(made, note=source_note(*here, source.get(here, ""), directory))
        yield made


def source_note(file: str, line: int, text: str, directory: str) -> str:
    """A source line with its place."""
    return f"{paths.short(file, directory)}:{line}  {text.strip()}".rstrip()
