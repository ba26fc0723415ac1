"""Two staged programs side by side, with the literals, sizes and types that differ marked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from whyjit.analyse.align import align, counts
from whyjit.present import units
from whyjit.present.compose.equations import INDENT, Line, code_line, count, equation_line, head, lines_of, tail
from whyjit.present.compose.programs import source_note
from whyjit.present.compose.words import as_role, words
from whyjit.present.document import Block, CodeLine, Difference, Document, Heading, Mark, Pair, Paragraph, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from whyjit.analyse.align import Aligned, Counts, Differs, Row
    from whyjit.model.program import Equation, Program
    from whyjit.present.document import Role

NoteOf = Callable[[str, int], str]

_TOKEN = re.compile(r"[A-Za-z_]\w*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\s+|.")
_AROUND = 2
_WAYS: dict[Differs, str] = {
    "primitive": "in the operation",
    "literal": "in literals",
    "size": "in sizes",
    "type": "in types",
    "parameter": "in parameters",
    "operand": "in operands",
}


class _Shown(NamedTuple):
    """A pair of lines, and the equations that they are."""

    pair: Pair
    left: Equation | None = None
    right: Equation | None = None


def program_difference(
    a: Program,
    b: Program,
    *,
    left: str = "left",
    right: str = "right",
    around: int | None = _AROUND,
    note_of: NoteOf | None = None,
    source: Mapping[tuple[str, int], str] | None = None,
    directory: str = "",
    unfold: bool = False,
    notes: Iterable[str] = (),
) -> Document:
    """Programs aligned equation by equation. `around` equal lines stay near each difference; None keeps all.

    Programs inside the equations are shown where they differ, or always with `unfold`. `source` maps file and line to
    the text that stands above the equations which that line made; or `note_of` gives it for a column of its own.
    """
    aligned = align(a, b)
    shown = list(_program(aligned, 0, unfold=unfold))
    if note_of is not None:
        shown = _noted(shown, note_of)
    kept, trailing = _near([each.pair for each in shown], around)
    if note_of is None and source is not None:
        kept = _with_source(kept, shown, source, directory)
    title = f"{left} against {right}"
    blocks: list[Block] = [
        Heading(words(Span(left, "name"), Span(" against ", "dim"), Span(right, "name")), 1),
        Paragraph(as_role(said(aligned), "dim")),
        *(Paragraph(as_role(note, "warn")) for note in notes),
        Difference(words(Span(left, "name")), words(Span(right, "name")), tuple(pair for _, pair in kept), trailing),
    ]
    return Document(title, tuple(blocks))


def said(aligned: Aligned) -> str:
    """What differs, in one line."""
    if aligned.same:
        return f"the programs are the same: {units.plural(count(aligned.left), 'equation')}"
    found: Counts = counts(aligned)
    parts: list[str] = []
    if found.changed:
        ways = ", ".join(f"{number} {_WAYS[way]}" for way, number in found.ways)
        parts.append(f"{units.plural(found.changed, 'equation differs', 'equations differ')} ({ways})")
    if found.removed:
        parts.append(f"{units.plural(found.removed, 'equation')} only in the first")
    if found.added:
        parts.append(f"{units.plural(found.added, 'equation')} only in the second")
    if not aligned.heads:
        parts.append("the inputs differ")
    if not parts:
        parts.append("what they return differs")
    return "; ".join(parts)


def _program(aligned: Aligned, depth: int, *, unfold: bool) -> Iterator[_Shown]:
    yield _Shown(_pair(head(aligned.left, depth, aligned.name), head(aligned.right, depth, aligned.name), ()))
    for row in aligned.rows:
        yield from _row(row, depth + 1, unfold=unfold)
    yield _Shown(_pair(tail(aligned.left, depth + 1), tail(aligned.right, depth + 1), aligned.outputs))


def _row(row: Row, depth: int, *, unfold: bool) -> Iterator[_Shown]:
    old, new = row.left, row.right
    if old is not None and new is not None:
        opened = [inner for inner in row.programs if unfold or not inner.same]
        open_names = {inner.name for inner in opened}
        lines = [
            equation_line(each, depth, [(name, inner) for name, inner in each.programs if name not in open_names])
            for each in (old, new)
        ]
        yield _Shown(_pair(lines[0], lines[1], row.operands, same=row.same), old, new)
        for inner in opened:
            yield from _program(inner, depth + 1, unfold=unfold)
    elif old is not None:
        for line in _alone(old, depth, unfold=unfold):
            yield _Shown(Pair(_toned(line, "removed"), None), old, None)
    elif new is not None:
        for line in _alone(new, depth, unfold=unfold):
            yield _Shown(Pair(None, _toned(line, "added")), None, new)


def _alone(equation: Equation, depth: int, *, unfold: bool) -> Iterator[Line]:
    yield equation_line(equation, depth, () if unfold else equation.programs)
    if unfold:
        for _, inner in equation.programs:
            for line in lines_of(inner):
                yield line._replace(depth=line.depth + depth + 1)


def _toned(line: Line, tone: str) -> CodeLine:
    return CodeLine(code_line(line, ()).text, tone="removed" if tone == "removed" else "added")


def _pair(old: Line, new: Line, operands: Iterable[int], *, same: bool = True) -> Pair:
    """Two lines that correspond, with what differs marked; of the operands that is known by their places."""
    places = frozenset(operands)
    olds = {part.key: part.text for part in old.parts if part.key}
    news = {part.key: part.text for part in new.parts if part.key}
    marks = list(_marks(old, news, "bad", places)), list(_marks(new, olds, "good", places))
    if same and not any(marks):
        return Pair(code_line(old), code_line(new), same=True)
    left, right = (
        msgspec.structs.replace(code_line(line, its), tone="changed")
        for line, its in zip((old, new), marks, strict=True)
    )
    return Pair(left, right)


def _marks(line: Line, others: Mapping[str, str], role: Role, operands: frozenset[int]) -> Iterator[Mark]:
    at = 0
    for part in line.parts:
        start, at = at, at + len(part.text)
        if not part.key:
            continue
        kind, _, place = part.key.rpartition(" ")
        other = others.get(part.key)
        if kind == "operand":  # a variable is not told by its name, but by what it corresponds to
            if int(place) in operands or other is None:
                yield Mark(start, at, role)
        elif other is None:
            yield Mark(start, at, role)
        elif other != part.text:
            yield from _differing(part.text, other, start, role)


def _differing(text: str, other: str, start: int, role: Role) -> Iterator[Mark]:
    """The words and numbers of a text that differ from those of the other; all of it where they are not alike."""
    tokens, others = _TOKEN.findall(text), _TOKEN.findall(other)
    if len(tokens) != len(others) or not all(map(_comparable, tokens, others)):
        yield Mark(start, start + len(text), role)
        return
    for token, its in zip(tokens, others, strict=True):
        if token != its:
            yield Mark(start, start + len(token), role)
        start += len(token)


def _comparable(token: str, other: str) -> bool:
    """Whether two pieces can stand for one another: they are equal, or each is a word or a number."""
    return token == other or (token.lstrip("-")[:1].isalnum() and other.lstrip("-")[:1].isalnum())


def _noted(shown: Iterable[_Shown], note_of: NoteOf) -> list[_Shown]:
    """Each line of source noted once where several pairs in a row come from it."""
    made: list[_Shown] = []
    before = ("", 0)
    for each in shown:
        equation = each.right or each.left
        here = (equation.file, equation.line) if equation is not None else ("", 0)
        note = note_of(*here) if here[0] and here != before else ""
        before = here if here[0] else before
        pair = each.pair
        if note and pair.right is not None:
            pair = msgspec.structs.replace(pair, right=msgspec.structs.replace(pair.right, note=note))
        elif note and pair.left is not None:
            pair = msgspec.structs.replace(pair, left=msgspec.structs.replace(pair.left, note=note))
        made.append(each._replace(pair=pair))
    return made


def _near(pairs: Sequence[Pair], around: int | None) -> tuple[list[tuple[int, Pair]], int]:
    """The pairs that differ with a few equal ones around each, and how many equal ones end the programs unseen."""
    if around is None:
        return list(enumerate(pairs)), 0
    keep: set[int] = set()
    for at, pair in enumerate(pairs):
        if not pair.same:
            keep.update(range(max(0, at - around), min(len(pairs), at + around + 1)))
    kept: list[tuple[int, Pair]] = []
    skipped = 0
    for at, pair in enumerate(pairs):
        if at in keep:
            kept.append((at, Pair(pair.left, pair.right, pair.same, skipped)))
            skipped = 0
        else:
            skipped += 1
    return kept, skipped


def _with_source(
    kept: Iterable[tuple[int, Pair]], shown: Sequence[_Shown], source: Mapping[tuple[str, int], str], directory: str
) -> list[tuple[int, Pair]]:
    """The source lines of both programs above the pairs that came of them."""
    made: list[tuple[int, Pair]] = []
    before: tuple[CodeLine | None, CodeLine | None] = (None, None)
    for at, pair in kept:
        each = shown[at]
        if each.left is None and each.right is None:
            made.append((at, pair))
            continue
        line = pair.right or pair.left
        indent = " " * (len(line.text) - len(line.text.lstrip())) if line is not None else INDENT
        left, right = (_comment(equation, source, directory, indent) for equation in (each.left, each.right))
        if (left, right) != (None, None) and not (left in (None, before[0]) and right in (None, before[1])):
            made.append((at, Pair(left, right, left == right, pair.skipped)))
            made.append((at, Pair(pair.left, pair.right, pair.same)))
            before = (left or before[0], right or before[1])
        else:
            made.append((at, pair))
    return made


def _comment(
    equation: Equation | None, source: Mapping[tuple[str, int], str], directory: str, indent: str
) -> CodeLine | None:
    if equation is None or not equation.file:
        return None
    text = source.get((equation.file, equation.line), "")
    return CodeLine(f"{indent}# {source_note(equation.file, equation.line, text, directory)}", tone="dim")
