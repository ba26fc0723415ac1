"""Each kind of block as lines of rich text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text as RichText

from whyjit.present import units
from whyjit.present.clean import clean
from whyjit.present.document import (
    Block,
    Callout,
    Code,
    Difference,
    Heading,
    KeyValues,
    Listing,
    Paragraph,
    Share,
    Table,
)
from whyjit.present.terminal.code import beside_lines, code_lines, difference_lines
from whyjit.present.terminal.styles import GLUE, STYLES, glued, rich
from whyjit.present.terminal.table import ARROW, table_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whyjit.present.document import Document, Text

_GLYPHS = "█▓▒░"
_REST = "·"
_BAR = 40
_LEAST_BAR = 10
_KEY = 34
_COLORS = ColorSystem.STANDARD


class Painter:
    """Paints documents at one width."""

    def __init__(self, width: int, *, color: bool) -> None:
        self.width = width
        self.color = color
        self._file = io.StringIO()
        self.console = Console(
            file=self._file,
            width=width,
            force_terminal=color,
            color_system="standard" if color else None,
            no_color=not color,
            markup=False,
            emoji=False,
            highlight=False,
            legacy_windows=False,
            _environ={},
        )

    def document(self, document: Document) -> str:
        """All blocks, one below the other."""
        before: Block | None = None
        for block in document.blocks:
            if before is not None and _apart(before, block):
                self._file.write("\n")
            for line in self.block(block):
                line.rstrip()
                self._write(line)
            before = block
        return self._file.getvalue().replace(GLUE, " ")

    def _write(self, line: RichText) -> None:
        """Write a line. `Console.print` takes ten times as long: it sees to lines that are too wide, which are rare."""
        if line.cell_len > self.width:
            line.no_wrap = True
            line.overflow = "ignore"
            self.console.print(line, crop=False, end="\n")
            return
        if self.color:
            line.end = ""
            for segment in line.render(self.console):
                style = segment.style
                self._file.write(style.render(segment.text, color_system=_COLORS) if style else segment.text)
        else:
            self._file.write(line.plain)
        self._file.write("\n")

    def block(self, block: Block) -> Iterable[RichText]:
        """The lines of one block."""
        match block:
            case Heading():
                return self.wrapped(block.text, base="bold" if block.level > 1 else "bold underline")
            case Paragraph():
                return self.wrapped(block.text, indent=2 * block.indent)
            case Callout():
                return self._callout(block)
            case Table():
                return table_lines(block, self.width, self.console)
            case Code():
                lines = beside_lines if block.beside else code_lines
                return [*self.wrapped(block.title), *lines(block.lines, self.width)]
            case Difference():
                return difference_lines(block, self.width, color=self.color)
            case KeyValues():
                return self._key_values(block)
            case Share():
                return self._share(block)
            case Listing():
                return self._listing(block)

    def wrapped(self, text: Text, *, indent: int = 0, base: str = "") -> list[RichText]:
        """Running text in lines; below an arrow they are moved in."""
        if not text:
            return []
        shown = rich(text, base)
        hang = len(ARROW) if shown.plain.startswith(ARROW) else 0
        room = max(self.width - indent - hang, 10)
        lines = shown.wrap(self.console, room)
        for place, line in enumerate(lines):
            line.rstrip()
            line.pad_left(indent + (hang if place else 0))
        return list(lines)

    def _callout(self, block: Callout) -> Iterator[RichText]:
        yield from self.wrapped(block.text)
        for detail in block.details:
            yield from self.wrapped(detail, indent=2)

    def _key_values(self, block: KeyValues) -> Iterator[RichText]:
        keys = [rich(key) for key, _ in block.items]
        wide = min(max((key.cell_len for key in keys), default=0), _KEY)
        for key, (_, value) in zip(keys, block.items, strict=True):
            lines = self.wrapped(value, indent=wide + 4) or [RichText(" " * (wide + 4))]
            key.truncate(wide, overflow="ellipsis", pad=True)
            key.pad_left(2)
            first = lines[0][wide + 4 :]
            yield key.append("  ").append_text(first)
            yield from lines[1:]

    def _share(self, block: Share) -> Iterator[RichText]:
        legend = RichText(end="")
        for glyph, part in zip(_GLYPHS, block.parts, strict=False):
            legend.append(glyph, STYLES[part.role]).append(glued(f" {clean(part.label)} {units.seconds(part.seconds)}"))
            legend.append("  ")
        rest = block.total - sum(part.seconds for part in block.parts)
        if rest > 0:
            legend.append(glued(f"{_REST} program {units.seconds(rest)}"), "dim")
        room = min(self.width - legend.cell_len - 2, _BAR)
        alone = room < _LEAST_BAR
        bar = self._bar(block, min(self.width, _BAR) if alone else room)
        if alone:
            yield bar
            yield from legend.wrap(self.console, self.width)
        else:
            yield bar.append("  ").append_text(legend)

    @staticmethod
    def _bar(block: Share, width: int) -> RichText:
        bar = RichText(end="")
        filled, total = 0, 0.0
        for glyph, part in zip(_GLYPHS, block.parts, strict=False):
            total += part.seconds
            upto = round(width * total / block.total) if block.total else 0
            bar.append(glyph * (upto - filled), STYLES[part.role])
            filled = max(filled, upto)
        return bar.append(_REST * (width - filled), "dim")

    def _listing(self, block: Listing) -> Iterator[RichText]:
        for number, item in enumerate(block.items, 1):
            sign = f"{number}. " if block.ordered else "- "
            lines = self.wrapped(item, indent=2 + len(sign))
            if lines:
                yield RichText(" " * 2 + sign, end="").append_text(lines[0][2 + len(sign) :])
                yield from lines[1:]


def _apart(before: Block, block: Block) -> bool:
    """Whether a blank line stands between two blocks."""
    if isinstance(before, Heading):
        return False
    if isinstance(block, Paragraph | Share):
        close = isinstance(block, Paragraph) and block.indent > 0
        return isinstance(before, Table | Difference | KeyValues | Listing | Code) and not close
    if isinstance(block, Code):
        return not isinstance(before, Callout | Paragraph)
    return not (isinstance(block, Listing | KeyValues) and isinstance(before, Paragraph))
