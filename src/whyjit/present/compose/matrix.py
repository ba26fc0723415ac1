"""The specializations of one function as a matrix: a row each, a column for each factor that varies, the cause last."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whyjit.present import paths, units
from whyjit.present.compose.factors import Factor, Factors, compare
from whyjit.present.compose.ranking import spent
from whyjit.present.compose.reasons import brief_cause, brief_delta
from whyjit.present.compose.words import as_role, cut
from whyjit.present.document import Block, Column, KeyValues, Table, TableRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.finding import Explained, FunctionReport

_COLUMNS = 10
_LIMIT = 2000
_LEADING = 3
_LONG = 48


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
        *(as_role(cut(factor.values[place], _LONG), "code") for factor in factors),
        brief_delta(explained),
        as_role("" if against is None else units.count(against), "dim"),
        as_role(paths.place(made.call_site, directory), "path"),
        brief_cause(explained),
    )
    return TableRow(cells, changed=tuple(changed))


def constants(factors: Factors) -> list[Block]:
    """The factors that are the same in all specializations."""
    told = [factor for factor in factors.constant if factor.role in {"array", "static", "captured", "metadata"}]
    if not told:
        return []
    return [KeyValues(tuple((as_role(each.name, "name"), as_role(cut(each.values[0]), "code")) for each in told))]
