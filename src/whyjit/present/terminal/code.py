"""Code and differences as lines, with what is marked in colour or underlined."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace
from rich.cells import cell_len
from rich.text import Text as RichText

from whyjit.present import units
from whyjit.present.clean import clean, clean_code
from whyjit.present.document import Mark, note_line
from whyjit.present.terminal.styles import STYLES, TONES, rich

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whyjit.present.document import CodeLine, Difference, Pair

_SIDE_BY_SIDE = 120
_HANG = 4
_BETWEEN = 3


def code_lines(lines: Sequence[CodeLine], width: int) -> Iterator[RichText]:
    """Lines of code with their numbers; carets under what is marked so."""
    digits = max((len(str(line.number)) for line in lines if line.number is not None), default=0)
    for line in lines:
        gutter = f"  {line.number if line.number is not None else '':>{digits}} │ " if digits else "  "
        text, marks = _marked(line)
        under = [mark for mark in marks if mark.under]
        room = width - cell_len(gutter)
        if under and text.cell_len > room:
            text, under = _window(text, under, room)
        first = RichText(gutter, style="dim" if digits else "", end="")
        for place, piece in enumerate(fold(text.plain, room)):
            start = first if not place else RichText(" " * cell_len(gutter), end="")
            yield start.append(" " * piece.hang).append_text(text[piece.start : piece.end])
        if under:
            blank = " " * (cell_len(gutter) - 2) + "│ " if digits else gutter
            yield RichText(blank, style="dim", end="").append_text(_carets(text.plain, under, room))


def beside_lines(lines: Sequence[CodeLine], width: int) -> Iterator[RichText]:
    """Lines of code with their notes in a column beside them, or above them where there is no room for one."""
    column = max((cell_len(line.text) for line in lines if line.note), default=0)
    longest = max((cell_len(clean(line.note)) for line in lines if line.note), default=0)
    if 2 + column + _BETWEEN + longest > width:
        for line in lines:
            plain = replace(line, note="")
            yield from code_lines((note_line(line), plain) if line.note else (plain,), width)
        return
    for line in lines:
        if not line.note:
            yield from code_lines((line,), width)
            continue
        text, _ = _marked(replace(line, note=""))
        shown = RichText("  ", end="").append_text(text).append(" " * (column - text.cell_len + _BETWEEN))
        yield shown.append(clean(line.note), "dim")


def _marked(line: CodeLine) -> tuple[RichText, list[Mark]]:
    shown, places = clean_code(line.text)
    text = RichText(shown, style=TONES[line.tone], end="")
    marks: list[Mark] = []
    last = len(places) - 1
    for mark in line.marks:
        start, end = places[max(0, min(mark.start, last))], places[max(0, min(mark.end, last))]
        text.stylize(STYLES[mark.role] or "bold", start, end)
        marks.append(Mark(start, end, mark.role, mark.under, mark.label))
    if line.note:
        text.append(f"  {clean(line.note)}", "dim")
    return text, marks


class Piece(NamedTuple):
    """A part of a line that is too long: it goes on below, moved in further than it began."""

    start: int
    end: int
    hang: int


def fold(text: str, room: int) -> list[Piece]:
    """The parts of a line, each of which fits."""
    if cell_len(text) <= room:
        return [Piece(0, len(text), 0)]
    hang = min(len(text) - len(text.lstrip()) + _HANG, room // 2)
    pieces: list[Piece] = []
    start = 0
    while start < len(text):
        indent = hang if start else 0
        end = start + _fits(text[start:], room - indent)
        pieces.append(Piece(start, end, indent))
        start = end
    return pieces


def _fits(text: str, room: int) -> int:
    """How many characters fit, ending at a space where one is near."""
    used = 0
    for at, character in enumerate(text):
        used += cell_len(character)
        if used > room:
            space = text.rfind(" ", max(1, at - 48), at)
            return space + 1 if space > 0 and text[:space].strip() else max(at, 1)
    return len(text)


def _window(text: RichText, marks: Sequence[Mark], room: int) -> tuple[RichText, list[Mark]]:
    """The part of a long line that shows its marks."""
    start = max(0, min(mark.start for mark in marks) - room // 4)
    start = min(start, max(0, len(text.plain) - room))
    piece = text[start : start + room - 2]
    lead = "…" if start else ""
    shown = RichText(lead, end="").append_text(piece)
    if start + room - 2 < len(text.plain):
        shown.append("…")
    move = start - len(lead)
    moved = [Mark(mark.start - move, min(mark.end - move, room - 1), mark.role, True, mark.label) for mark in marks]
    return shown, moved


def _carets(text: str, marks: Sequence[Mark], room: int) -> RichText:
    out = RichText(end="")
    for mark in sorted(marks, key=lambda mark: mark.start):
        gap = cell_len(text[: mark.start]) - out.cell_len
        out.append(" " * max(gap, 0))
        out.append("^" * max(cell_len(text[mark.start : mark.end]), 1), STYLES[mark.role])
        if mark.label and out.cell_len + len(mark.label) < room:
            out.append(f" {clean(mark.label)}", STYLES[mark.role])
    return out


def difference_lines(block: Difference, width: int, *, color: bool) -> Iterator[RichText]:
    """Two texts: side by side where there is room, else one with - and +."""
    wide = width >= _SIDE_BY_SIDE
    half = (width - 5) // 2
    if wide:
        yield _beside(rich(block.left), " ", rich(block.right), half)
    for pair in block.pairs:
        if pair.skipped:
            yield _skipped(pair.skipped)
        yield from _side_by_side(pair, half) if wide else _unified(pair, width, color=color)
    if block.trailing:
        yield _skipped(block.trailing)


def _skipped(number: int) -> RichText:
    return RichText(f"    … {units.plural(number, 'equal line')}", style="dim", end="")


def _beside(left: RichText, sign: str, right: RichText, half: int) -> RichText:
    text = left.copy()
    text.truncate(half, overflow="ellipsis", pad=True)
    return RichText("  ", end="").append_text(text).append(f" {sign} ").append_text(right)


def _side_by_side(pair: Pair, half: int) -> Iterator[RichText]:
    lefts = list(_pieces(pair.left, half))
    rights = list(_pieces(pair.right, half))
    if pair.left is None:
        sign = "+"
    elif pair.right is None:
        sign = "-"
    else:
        sign = " " if pair.same else "│"
    for at in range(max(len(lefts), len(rights))):
        left = lefts[at] if at < len(lefts) else RichText(end="")
        right = rights[at] if at < len(rights) else RichText(end="")
        yield _beside(left, sign, right, half)


def _pieces(line: CodeLine | None, room: int) -> Iterator[RichText]:
    if line is None:
        return
    text, _ = _marked(line)
    for piece in fold(text.plain, room):
        yield RichText(" " * piece.hang, end="").append_text(text[piece.start : piece.end])


def _unified(pair: Pair, width: int, *, color: bool) -> Iterator[RichText]:
    if pair.same and pair.right is not None:
        for whole in _pieces(pair.right, width - 4):
            yield RichText("    ", end="").append_text(whole)
        return
    for sign, line, style in (("-", pair.left, "red"), ("+", pair.right, "green")):
        if line is None:
            continue
        text, marks = _marked(line)
        for at, piece in enumerate(fold(text.plain, width - 4)):
            head = RichText(f"  {sign if not at else ' '} ", style=style, end="").append(" " * piece.hang)
            yield head.append_text(text[piece.start : piece.end])
            below = [_moved(mark, piece) for mark in marks if mark.start < piece.end and mark.end > piece.start]
            if below and not color and sign == "+":
                carets = _carets(text.plain[piece.start : piece.end], below, width)
                yield RichText(" " * (4 + piece.hang), end="").append_text(carets)


def _moved(mark: Mark, piece: Piece) -> Mark:
    start, end = max(mark.start, piece.start), min(mark.end, piece.end)
    return Mark(start - piece.start, end - piece.start, mark.role, mark.under)
