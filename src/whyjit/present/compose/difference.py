"""Two staged programs side by side, with the literals, sizes and types that differ marked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from whyjit.present import units
from whyjit.present.compose.equations import Line, lines_of
from whyjit.present.compose.programs import code_line
from whyjit.present.compose.words import as_role, words
from whyjit.present.document import Block, CodeLine, Difference, Document, Heading, Mark, Pair, Paragraph, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whyjit.model.program import Program
    from whyjit.present.document import Tone

NoteOf = Callable[[str, int], str]

_TOKEN = re.compile(r"[A-Za-z_]\w*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\s+|.")
_VARIABLE = re.compile(r"[a-z]{1,3}")
_TYPE = re.compile(r"(?:f|bf|i|u|c)\d+\w*|bool")
_AROUND = 2
_POPULAR = 200


def program_difference(
    a: Program,
    b: Program,
    *,
    left: str = "left",
    right: str = "right",
    around: int | None = _AROUND,
    note_of: NoteOf | None = None,
) -> Document:
    """Programs aligned equation by equation. `around` equal lines stay near each difference; None keeps all.

    `note_of` gives the note that stands beside the right program's equations of one source line.
    """
    pairs = align(lines_of(a), lines_of(b), note_of)
    differing = sum(1 for pair in pairs if not pair.same)
    note = f"{units.plural(differing, 'line differs', 'lines differ')}" if differing else "the programs are the same"
    kept, trailing = _near(pairs, around)
    title = f"{left} against {right}"
    blocks: list[Block] = [
        Heading(words(Span(left, "name"), Span(" against ", "dim"), Span(right, "name")), 1),
        Paragraph(as_role(note, "dim")),
        Difference(words(Span(left, "name")), words(Span(right, "name")), kept, trailing),
    ]
    return Document(title, tuple(blocks))


def align(left: Sequence[Line], right: Sequence[Line], note_of: NoteOf | None = None) -> tuple[Pair, ...]:
    """Every line of both programs, each beside its like."""
    pairs: list[Pair] = []
    notes = _notes(right, note_of)
    for i1, i2, j1, j2, equal in _blocks([line.key for line in left], [line.key for line in right]):
        if equal:
            pairs += [_pair(left[i1 + at], right[j1 + at], notes[j1 + at]) for at in range(i2 - i1)]
        else:
            olds = [CodeLine(code_line(line).text, tone="removed") for line in left[i1:i2]]
            news = [
                CodeLine(code_line(line).text, tone="added", note=note)
                for line, note in zip(right[j1:j2], notes[j1:j2], strict=True)
            ]
            both = min(len(olds), len(news))
            pairs += [Pair(old, new) for old, new in zip(olds[:both], news[:both], strict=True)]
            pairs += [Pair(old, None) for old in olds[both:]]
            pairs += [Pair(None, new) for new in news[both:]]
    return tuple(pairs)


def _blocks(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int, int, int, bool]]:
    """Stretches that match and that do not. Common ends are taken off first, so that alike programs cost nothing."""
    short = min(len(left), len(right))
    start = 0
    while start < short and left[start] == right[start]:
        start += 1
    end = 0
    while end < short - start and left[-1 - end] == right[-1 - end]:
        end += 1
    if start:
        yield 0, start, 0, start, True
    a, b = left[start : len(left) - end], right[start : len(right) - end]
    if a or b:
        matcher = difflib.SequenceMatcher(None, a, b, autojunk=len(b) > _POPULAR)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            yield start + i1, start + i2, start + j1, start + j2, tag == "equal"
    if end:
        yield len(left) - end, len(left), len(right) - end, len(right), True


def _notes(lines: Sequence[Line], note_of: NoteOf | None) -> list[str]:
    """A note for each line, given once where several lines in a row come from one line of source."""
    notes: list[str] = []
    before = ("", 0)
    for line in lines:
        here = (line.file, line.line)
        notes.append(note_of(*here) if note_of and line.file and here != before else "")
        before = here if line.file else before
    return notes


def _pair(left: Line, right: Line, note: str) -> Pair:
    old, new = _TOKEN.findall(left.text), _TOKEN.findall(right.text)
    olds, news = _differing(old, new) if left.text != right.text else (set[int](), set[int]())
    same = not olds and not news
    tone: Tone = "plain" if same else "changed"
    changed_left = code_line(left, _marks(old, olds, "bad"))
    changed_right = code_line(right, _marks(new, news, "good"))
    return Pair(
        CodeLine(changed_left.text, None, changed_left.marks, tone),
        CodeLine(changed_right.text, None, changed_right.marks, tone, note),
        same,
    )


def _differing(old: Sequence[str], new: Sequence[str]) -> tuple[set[int], set[int]]:
    """The places of the tokens that differ; variable names do not count, they only follow from what is before."""
    if len(old) == len(new):
        places = {at for at, (a, b) in enumerate(zip(old, new, strict=True)) if a != b and not _renamed(a, b)}
        return places, places
    olds: set[int] = set()
    news: set[int] = set()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal" and not (i2 - i1 == j2 - j1 == 1 and _renamed(old[i1], new[j1])):
            olds.update(range(i1, i2))
            news.update(range(j1, j2))
    return olds, news


def _renamed(a: str, b: str) -> bool:
    return all(_VARIABLE.fullmatch(token) and not _TYPE.fullmatch(token) for token in (a, b))


def _marks(tokens: Sequence[str], places: set[int], role: str) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    at = 0
    for place, token in enumerate(tokens):
        if place in places:
            last = marks[-1] if marks else None
            if last is not None and last.end == at:
                marks[-1] = Mark(last.start, at + len(token), last.role)
            else:
                marks.append(Mark(at, at + len(token), "bad" if role == "bad" else "good"))
        at += len(token)
    return tuple(marks)


def _near(pairs: Sequence[Pair], around: int | None) -> tuple[tuple[Pair, ...], int]:
    """The pairs that differ with a few equal ones around each, and how many equal ones end the programs unseen."""
    if around is None:
        return tuple(pairs), 0
    keep: set[int] = set()
    for at, pair in enumerate(pairs):
        if not pair.same:
            keep.update(range(max(0, at - around), min(len(pairs), at + around + 1)))
    kept: list[Pair] = []
    skipped = 0
    for at, pair in enumerate(pairs):
        if at in keep:
            kept.append(Pair(pair.left, pair.right, pair.same, skipped))
            skipped = 0
        else:
            skipped += 1
    return tuple(kept), skipped
