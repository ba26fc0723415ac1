"""Which programs a page shows: for each function the first, and for each kind of change the two it lies between."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from markupsafe import Markup

from whyjit.model.program import Program
from whyjit.present import paths
from whyjit.present.clean import clean
from whyjit.present.compose.difference import program_difference
from whyjit.present.compose.programs import program as compose_program
from whyjit.present.compose.reasons import delta_text, patterns
from whyjit.present.compose.words import words
from whyjit.present.document import Block, Code, Difference, Heading, Paragraph
from whyjit.present.html.blocks import Painter

if TYPE_CHECKING:
    from whyjit.model.finding import Explained, FunctionReport

# Why programs are not on the page: it has enough of them, or they are too long.
Missing = Literal["", "full", "long"]
ProgramOf = Callable[[str], Program | None]
SourceOf = Callable[[str, int], str]

_PATTERNS = 3
_LINES = 150
_LONGEST = 20000


class Programs:
    """Makes the programs of each function until the page has enough of them."""

    def __init__(self, program_of: ProgramOf, source_of: SourceOf, directory: str, budget: int) -> None:
        self._program_of = program_of
        self._source_of = source_of
        self._directory = directory
        self._left = budget
        self._painter = Painter()

    def of(self, function: FunctionReport) -> tuple[Markup, Missing]:
        """The programs of one function as HTML, and why there are none although they were kept."""
        blocks = [*self._differences(function)] or [*self._first(function)]
        made = self._painter.blocks(blocks)
        if len(made) > self._left or (not blocks and self._left <= 0):
            kept = any(each.specialization.program for each in function.specializations)
            return Markup(""), "full" if kept else ""
        if not blocks:
            return Markup(""), "long" if self._too_long(function) else ""
        self._left -= len(made)
        return made, ""

    def _too_long(self, function: FunctionReport) -> bool:
        prints = (each.specialization.fingerprint for each in function.specializations)
        return any(print_ is not None and print_.equations > _LONGEST for print_ in prints)

    def _differences(self, function: FunctionReport) -> list[Block]:
        if self._left <= 0:
            return []
        by_number = {explained.specialization.number: explained for explained in function.specializations}
        blocks: list[Block] = []
        for pattern in patterns(function.specializations)[: _PATTERNS + 1]:
            later = pattern.first
            earlier = by_number.get(later.compared_with or 0)
            if earlier is not None and len(blocks) < 2 * _PATTERNS:
                blocks += self._difference(function.function.name, earlier, later)
        return blocks

    def _difference(self, name: str, earlier: Explained, later: Explained) -> list[Block]:
        old, new = self._kept(earlier), self._kept(later)
        if old is None or new is None:
            return []
        left, right = (f"{clean(name)}@{each.specialization.number}" for each in (earlier, later))
        document = program_difference(old, new, left=left, right=right, note_of=self._note)
        made = next(block for block in document.blocks if isinstance(block, Difference))
        more = len(made.pairs) - _LINES
        if more > 0:
            made = Difference(made.left, made.right, made.pairs[:_LINES], 0)
        text = words(f"{left} against {right}: ", delta_text(later) or "not compared")
        rest = [Paragraph(words(f"{more} more lines of it are left out; whyjit show has them."))] if more > 0 else []
        return [Heading(text, 3), made if made.pairs else Paragraph(words("They are the same, line by line.")), *rest]

    def _first(self, function: FunctionReport) -> list[Block]:
        if self._left <= 0 or not function.specializations:
            return []
        kept = self._kept(function.specializations[0])
        if kept is None:
            return []
        source = {(each.file, each.line): self._source_of(each.file, each.line) for each in kept.equations if each.file}
        name = f"{clean(function.function.name)}@{function.specializations[0].specialization.number}"
        document = compose_program(kept, source, title=name, directory=self._directory, unfold=True)
        code = next(block for block in document.blocks if isinstance(block, Code))
        more = len(code.lines) - _LINES
        rest = [Paragraph(words(f"{more} more lines of it are left out; whyjit show has them."))] if more > 0 else []
        return [Heading(words(name), 3), Code(code.lines[:_LINES], beside=code.beside), *rest]

    def _kept(self, explained: Explained) -> Program | None:
        key = explained.specialization.program
        found = self._program_of(key) if key else None
        return found if found is not None and len(found.equations) <= _LONGEST else None

    def _note(self, file: str, line: int) -> str:
        text = self._source_of(file, line).strip()
        return f"{paths.short(file, self._directory)}:{line}  {text}".rstrip()
