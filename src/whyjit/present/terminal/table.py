"""Tables as lines: columns side by side, and the details of a row below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text as RichText

from whyjit.present.terminal.columns import GAP, fit
from whyjit.present.terminal.styles import rich

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from whyjit.present.document import Column, Table, TableRow

_INDENT = 2
_DETAIL = 6
ARROW = "-> "


def table_lines(table: Table, width: int, console: Console) -> Iterator[RichText]:
    """The lines of a table, no wider than `width`."""
    cells = [[rich(cell) for cell in row.cells] for row in table.rows]
    natural = [_natural(column, place, cells) for place, column in enumerate(table.columns)]
    widths = fit(table.columns, natural, width - _INDENT)
    titles = [RichText(column.title, style="dim", end="") for column in table.columns]
    yield from _lines(table.columns, titles, widths, console)
    indent = _INDENT + min(widths[0] + GAP, _DETAIL)
    for row, texts in zip(table.rows, cells, strict=True):
        yield from _lines(table.columns, texts, widths, console)
        yield from _details(row, indent, width, console)
    dropped = [
        column.title for column, size, wide in zip(table.columns, widths, natural, strict=True) if wide and not size
    ]
    notes = [rich(table.note)]
    if dropped:
        notes.append(RichText(f"not shown at this width: {', '.join(dropped)}", style="dim", end=""))
    for note in notes:
        for line in note.wrap(console, width - _INDENT) if note else ():
            line.pad_left(_INDENT)
            yield line


def _natural(column: Column, place: int, cells: Sequence[Sequence[RichText]]) -> int:
    """The width of the longest cell; 0 for a column that is empty throughout."""
    longest = max((row[place].cell_len for row in cells), default=0)
    return max(longest, len(column.title)) if longest else 0


def _lines(
    columns: Sequence[Column],
    texts: Sequence[RichText],
    widths: Sequence[int],
    console: Console,
) -> Iterator[RichText]:
    """One row: as many lines as its tallest cell."""
    stacks: list[list[RichText]] = []
    for column, text, width in zip(columns, texts, widths, strict=True):
        if not width:
            continue
        lines = list(text.wrap(console, width)) if column.wrap else [_cut(text, width)]
        for line in lines:
            line.rstrip()
            line.align(column.align, width)
        stacks.append(lines or [RichText(" " * width, end="")])
    sizes = [width for width in widths if width]
    for level in range(max((len(stack) for stack in stacks), default=0)):
        out = RichText(" " * _INDENT, end="")
        for place, stack in enumerate(stacks):
            out.append(" " * GAP if place else "")
            out.append_text(stack[level]) if level < len(stack) else out.append(" " * sizes[place])
        yield out


def _cut(text: RichText, width: int) -> RichText:
    """The text cut to the width: a path keeps its end, where the file and the line are."""
    if text.cell_len <= width:
        return text.copy()
    is_path = bool(text.spans) and str(text.spans[0].style) == "cyan"
    if not is_path:
        short = text.copy()
        short.truncate(width, overflow="ellipsis")
        return short
    short = text[-1:]
    for start in range(len(text) - 2, 0, -1):
        longer = text[start:]
        if longer.cell_len > width - 1:
            break
        short = longer
    return RichText("…", style="cyan", end="").append_text(short)


def _details(row: TableRow, indent: int, width: int, console: Console) -> Iterator[RichText]:
    for detail in row.details:
        text = rich(detail)
        hang = len(ARROW) if text.plain.startswith(ARROW) else 0
        for place, line in enumerate(text.wrap(console, max(width - indent - hang, 10))):
            line.rstrip()
            line.pad_left(indent + (hang if place else 0))
            yield line
