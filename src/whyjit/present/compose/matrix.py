"""The specializations of one function as a matrix: a row each, a column for each factor that varies, the cause last."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whyjit.present import paths, units
from whyjit.present.compose.factors import Factor, Factors, compare
from whyjit.present.compose.ranking import spent
from whyjit.present.compose.reasons import brief_cause, brief_delta
from whyjit.present.compose.words import as_role, cut, cut_pair, words
from whyjit.present.document import Block, Column, KeyValues, Span, Table, TableRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whyjit.model.finding import Explained, FunctionReport

_COLUMNS = 10
_LIMIT = 2000
_LEADING = 3
_LONG = 36
_NOTE = 90


class Sides(NamedTuple):
    """The specializations that are shown, and their factors side by side."""

    shown: Sequence[Explained]
    factors: Factors


def sides_of(function: FunctionReport, limit: int = _LIMIT) -> Sides:
    """The specializations of a function; of more than `limit` the first and the last."""
    shown = _within(function.specializations, limit)
    return Sides(shown, compare([explained.specialization for explained in shown]))


def matrix(function: FunctionReport, directory: str, sides: Sides | None = None) -> Table:
    """The matrix; a cell is marked where it differs from the specialization that its row is compared with."""
    everyone, found = sides or sides_of(function)
    varying = found.varying
    factors = varying[:_COLUMNS]
    places = {explained.specialization.number: place for place, explained in enumerate(everyone)}
    columns = (
        Column("number", "right"),
        Column("seconds", "right"),
        Column("calls", "right"),
        *(Column(factor.title) for factor in factors),
        Column("program"),
        Column("against", "right"),
        Column("called from"),
        Column("cause", wrap=True),
    )
    rows = [_row(place, explained, factors, places, directory) for place, explained in enumerate(everyone)]
    more = len(varying) - len(factors)
    notes = [f"{units.plural(more, 'more factor varies', 'more factors vary')}"] if more > 0 else []
    skipped = len(function.specializations) - len(everyone)
    if skipped:
        notes.append(f"{units.plural(skipped, 'specialization')} in the middle left out")
    return Table(columns, tuple(rows), as_role("; ".join(notes), "dim"))


def _within(everyone: Sequence[Explained], limit: int) -> Sequence[Explained]:
    return everyone if len(everyone) <= limit else (*everyone[: limit // 2], *everyone[-(limit // 2) :])


def _row(
    place: int,
    explained: Explained,
    factors: Sequence[Factor],
    places: dict[int, int],
    directory: str,
) -> TableRow:
    made = explained.specialization
    against = explained.compared_with
    other = places.get(against) if against is not None else None
    changed = [
        _LEADING + at
        for at, factor in enumerate(factors)
        if other is not None and factor.values[place] != factor.values[other]
    ]
    cells = (
        as_role(units.count(made.number), "number"),
        as_role(units.seconds(spent(made)), "number"),
        as_role(units.count(made.calls), "number"),
        *(as_role(_value(factor, place, other), "code") for factor in factors),
        brief_delta(explained),
        as_role("" if against is None else units.count(against), "dim"),
        as_role(paths.place(made.call_site, directory), "path"),
        words(brief_cause(explained), *_note(explained)),
    )
    return TableRow(cells, changed=tuple(changed))


def _note(explained: Explained) -> Iterator[Span]:
    """What else is to be known of a specialization: where in an object it changed, and whether its trace failed."""
    notes = dict.fromkeys(change.note for change in explained.cause.changes if change.note)
    if notes:
        yield Span(f" ({cut('; '.join(notes), _NOTE)})", "dim")
    if explained.specialization.error:
        yield Span(f"; ended with {explained.specialization.error}", "bad")


def _value(factor: Factor, place: int, other: int | None) -> str:
    """A factor's value, cut so that what differs from the compared one stays in sight."""
    value = factor.values[place]
    old = value if other is None else factor.values[other]
    # Two objects that look alike have numbers at the end, which are in sight anyway.
    alike = old.rsplit(" #", 1)[0] == value.rsplit(" #", 1)[0]
    return cut(value, _LONG) if alike else cut_pair(old, value, _LONG)[1]


def constants(factors: Factors) -> list[Block]:
    """The factors that are the same in all specializations."""
    told = [factor for factor in factors.constant if factor.role in {"array", "static", "captured", "metadata"}]
    if not told:
        return []
    return [KeyValues(tuple((as_role(each.name, "name"), as_role(cut(each.values[0]), "code")) for each in told))]
