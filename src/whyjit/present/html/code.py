"""Code and differences as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from whyjit.present import units
from whyjit.present.clean import clean, clean_code
from whyjit.present.document import note_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whyjit.present.document import Code, CodeLine, Difference, Pair


def code_html(code: Code, title: Markup) -> Markup:
    """Lines of code with their numbers."""
    numbered = any(line.number is not None for line in code.lines)
    shown = list(_above(code.lines)) if code.beside else code.lines
    lines = Markup("").join(_line(line, numbered=numbered) for line in shown)
    lead = Markup("<p>{}</p>").format(title) if title else Markup("")
    return lead + Markup('<pre class="source" tabindex="0"><code>{}</code></pre>').format(lines)


def _above(lines: Iterable[CodeLine]) -> Iterator[CodeLine]:
    """Notes as lines of their own, above the lines they belong to."""
    for line in lines:
        if line.note:
            yield note_line(line)
        yield line


def _line(line: CodeLine, *, numbered: bool) -> Markup:
    marked = " marked" if any(mark.under for mark in line.marks) else ""
    number = Markup('<span class="n">{}</span>').format("" if line.number is None else line.number) if numbered else ""
    return Markup('<span class="line {}{}">{}{}\n</span>').format(line.tone, marked, number, _text(line))


def _text(line: CodeLine) -> Markup:
    """The text of a line, with its marks."""
    shown, places = clean_code(line.text)
    last = len(places) - 1
    pieces: list[Markup] = []
    at = 0
    for mark in sorted(line.marks, key=lambda mark: mark.start):
        start, end = places[max(0, min(mark.start, last))], places[max(0, min(mark.end, last))]
        if start < at or end <= start:
            continue
        under = " under" if mark.under else ""
        marked = Markup('<mark class="{}{}">{}</mark>').format(mark.role, under, shown[start:end])
        pieces += [escape(shown[at:start]), marked]
        at = end
    pieces.append(escape(shown[at:]))
    return Markup("").join(pieces)


def difference_html(block: Difference, left: Markup, right: Markup) -> Markup:
    """Two texts side by side, with the source of the right one beside them where it is known."""
    notes = any(_note(pair) for pair in block.pairs)
    third = Markup('<th scope="col">source</th>') if notes else Markup("")
    wide = 3 if notes else 2
    names = clean(" and ".join("".join(span.text for span in side) for side in (block.left, block.right)))
    rows: list[Markup] = []
    for pair in block.pairs:
        if pair.skipped:
            rows.append(_skipped(pair.skipped, wide))
        rows.append(_pair(pair, notes=notes))
    if block.trailing:
        rows.append(_skipped(block.trailing, wide))
    return Markup(
        '<div class="scroll" tabindex="0" role="region" aria-label="difference: {}"><table class="difference">'
        '<thead><tr><th scope="col">{}</th><th scope="col">{}</th>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(names, left, right, third, Markup("").join(rows))


def _note(pair: Pair) -> str:
    return next((line.note for line in (pair.right, pair.left) if line is not None and line.note), "")


def _skipped(number: int, wide: int) -> Markup:
    lines = units.plural(number, "equal line")
    return Markup('<tr class="skipped"><td colspan="{}">{}</td></tr>').format(wide, lines)


def _place(note: str) -> Markup:
    """The place of a source line, and its text."""
    place, _, text = note.partition("  ")
    if not place:
        return Markup('<td class="note"></td>')
    return Markup('<td class="note"><b>{}</b> <code>{}</code></td>').format(clean(place), clean(text))


def _pair(pair: Pair, *, notes: bool) -> Markup:
    left = _text(pair.left) if pair.left else ""
    right = _text(pair.right) if pair.right else ""
    note = _place(_note(pair)) if notes else ""
    kind = "same" if pair.same else "changed" if pair.left and pair.right else "removed" if pair.left else "added"
    return Markup('<tr class="{}"><td><code>{}</code></td><td><code>{}</code></td>{}</tr>').format(
        kind, left, right, note
    )
