"""Causes in words: what changed, and what it did to the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whyjit.present import units
from whyjit.present.compose.ranking import spent
from whyjit.present.compose.words import ARROW, BRIEF_DELTAS, DELTAS, as_role, cut_pair, joined, words
from whyjit.present.document import Span, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from whyjit.model.finding import Change, Explained
    from whyjit.present.document import Role

# A kind as it stands before a path, and as it stands alone.
KINDS: dict[str, tuple[str, str]] = {
    "shape": ("shape of", "shape"),
    "dtype": ("dtype of", "dtype"),
    "weak_type": ("weak type of", "weak type"),
    "static": ("static", "static value"),
    "static_identity": ("static object", "static object"),
    "structure": ("structure of", "structure"),
    "call_form": ("call form of", "call form"),
    "function": ("new function object,", "new function object"),
    "context": ("context", "context"),
    "sharding": ("sharding of", "sharding"),
    "jit_options": ("jit option", "jit options"),
    "cleared": ("caches cleared", "caches cleared"),
    "retry_after_error": ("retry after an error", "retry after an error"),
    "first": ("first call", "first call"),
    "unknown": ("cause not known", "cause not known"),
}
_LONG = 48
_SHORT = 24


def kind_name(kind: str) -> str:
    """The kind of a change as it stands alone."""
    return KINDS.get(kind, (kind, kind))[1]


def factor_text(change: Change) -> Text:
    """What changed, without its values."""
    before, alone = KINDS.get(change.kind, (change.kind, change.kind))
    return words(f"{before} ", Span(change.path, "quoted")) if change.path else words(alone)


def values_text(change: Change, length: int = _LONG) -> Text:
    """From what to what; nothing where neither is known."""
    if not change.old and not change.new:
        return ()
    if change.old == change.new and change.note:  # two objects that look alike: the note tells them apart
        return ()
    old, new = cut_pair(change.old or "nothing", change.new or "nothing", length)
    return words(Span(old, "code"), " ", ARROW, " ", Span(new, "code"))


def change_texts(changes: Sequence[Change], shown: int = 8) -> list[Text]:
    """A line for each change; factors that changed alike share one. A single factor needs no name."""
    groups: dict[tuple[str, str, str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.kind, change.old, change.new, change.note), []).append(change)
    lines: list[Text] = []
    for group in groups.values():
        name = words(changes_text(group), "  ") if len(changes) > 1 else ()
        note = as_role(f"({group[0].note})", "dim") if group[0].note else ()
        values = values_text(group[0])
        lines.append(words(name, values, "  " if values and note else "", note))
    more = len(lines) - shown
    return [*(line for line in lines[:shown] if line), *([as_role(f"and {more} more", "dim")] if more > 0 else [])]


def changes_text(changes: Iterable[Change], shown: int = 4) -> Text:
    """What changed, without values: the first few factors by kind, and how many more."""
    each = list(changes)
    kinds: dict[str, list[Change]] = {}
    for change in each[:shown]:
        kinds.setdefault(change.kind, []).append(change)
    texts = [words(factor_text(group[0]), *_paths(group[1:])) for group in kinds.values()]
    more = len(each) - shown
    return words(joined(texts, "; "), f" and {more} more" if more > 0 else "")


def _paths(changes: Iterable[Change]) -> Iterator[str | Span]:
    for change in changes:
        if change.path:
            yield from (", ", Span(change.path, "quoted"))


def brief_cause(explained: Explained) -> Text:
    """The cause in a few words."""
    if explained.specialization.earlier:
        return words("from before the recording")
    return changes_text(explained.cause.changes) if explained.cause.changes else words(kind_name(explained.cause.kind))


def delta_text(explained: Explained) -> Text:
    """What the change did to the program; nothing where that was not compared."""
    if explained.delta is None:
        return ()
    role: Role = "warn" if explained.delta in {"identical", "literals"} else "plain"
    return words(Span(DELTAS[explained.delta], role), as_role(_noted(explained.delta_note), "dim"))


def brief_delta(explained: Explained) -> Text:
    """What the change did to the program, in two or three words."""
    if explained.delta is None:
        return ()
    return as_role(BRIEF_DELTAS[explained.delta], "warn" if explained.delta in {"identical", "literals"} else "plain")


def _noted(note: str) -> str:
    return f" ({note})" if note else ""


class Pattern(NamedTuple):
    """Specializations with one kind of cause, one set of factors, and one effect on the program."""

    members: tuple[Explained, ...]

    @property
    def first(self) -> Explained:
        """The earliest."""
        return self.members[0]

    @property
    def cost(self) -> float:
        """Seconds spent on all of them."""
        return sum(spent(member.specialization) for member in self.members)

    def changes(self) -> list[Text]:
        """What changed, with the values of the first and, where they are others, of the last one."""
        first, last = self.members[0].cause.changes, self.members[-1].cause.changes
        same = all((a.old, a.new) == (b.old, b.new) for a, b in zip(first, last, strict=False))
        if same or len(first) != 1:
            return change_texts(first, 4)
        values = values_text(first[0], _SHORT), values_text(last[0], _SHORT)
        return [joined([text for text in values if text], " ... ")]


def patterns(specializations: Iterable[Explained]) -> tuple[Pattern, ...]:
    """Groups specializations by what changed and what that did; the most costly group first."""
    groups: dict[object, list[Explained]] = {}
    for explained in specializations:
        cause = explained.cause
        key = (cause.kind, tuple((change.kind, change.path) for change in cause.changes), explained.delta)
        groups.setdefault(key, []).append(explained)
    return tuple(sorted((Pattern(tuple(group)) for group in groups.values()), key=lambda pattern: -pattern.cost))


def cost_text(seconds: float) -> Span:
    """Seconds as a number."""
    return Span(units.seconds(seconds), "number")
