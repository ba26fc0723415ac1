"""The call ledger of one function: a row for every call, equal consecutive calls in one."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from whyjit.present import paths, units
from whyjit.present.compose.factors import Factor, compare
from whyjit.present.compose.heading import function_heading
from whyjit.present.compose.reasons import brief_cause, brief_delta
from whyjit.present.compose.words import as_role, cut, words
from whyjit.present.document import Block, Column, Document, KeyValues, Paragraph, Role, Span, Table, TableRow, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whyjit.model.finding import Explained, FunctionReport
    from whyjit.model.recording import Row

_LIMIT = 200
_COLUMNS = 6
_CONSTANT = 12
_EVENTS: dict[str, Role] = {"new": "warn", "miss": "plain", "hit": "dim"}


class Numbered(NamedTuple):
    """A row with the number of its first call, counted within the function."""

    call: int
    row: Row


class Window(NamedTuple):
    """The first and the last rows of a ledger, and the number of rows left out between them."""

    head: Sequence[Numbered]
    tail: Sequence[Numbered]
    skipped: int


def ledger(
    function: FunctionReport,
    rows: Iterable[Row],
    *,
    directory: str = "",
    limit: int | None = _LIMIT,
) -> Document:
    """What each call brought, what JAX did for it, and why. `limit` bounds the rows shown; None shows all."""
    return ledger_of(function, window(rows, limit), directory=directory)


def ledger_of(function: FunctionReport, rows: Window, *, directory: str = "") -> Document:
    """The ledger of the rows chosen."""
    head, tail, skipped = rows
    shown = [*head, *tail]
    blocks: list[Block] = [*function_heading(function, directory)]
    if not shown:
        blocks.append(Paragraph(words("No call of it was recorded.")))
        return Document(f"ledger of {function.function.name}", tuple(blocks))
    explained = {each.specialization.number: each for each in function.specializations}
    numbers = sorted({row.specialization for _, row in shown} & explained.keys())
    varying, constant = compare([explained[number].specialization for number in numbers])
    given = {f"{factor.name} (captured)" for factor in varying}  # a default that some calls leave and others do not
    kept = [
        factor for factor in constant if factor.role in {"array", "static", "captured"} and factor.name not in given
    ]
    blocks += _constants(kept)
    columns, hidden = varying[:_COLUMNS], varying[_COLUMNS:]
    places = {number: place for place, number in enumerate(numbers)}
    table = [_row(item, columns, places, explained, directory) for item in head]
    if skipped:
        cells = [as_role("...", "dim"), *[()] * (len(columns) + 6)]
        note = words(Span(f"{units.plural(skipped, 'row')} left out here; --all shows them", "dim"))
        table.append(TableRow(tuple(cells), (note,)))
    table += [_row(item, columns, places, explained, directory) for item in tail]
    blocks.append(Table(_columns(columns), tuple(table)))
    if hidden:
        names = ", ".join(factor.name for factor in hidden[:_COLUMNS])
        blocks.append(
            Paragraph(
                as_role(f"{units.plural(len(hidden), 'more factor varies', 'more factors vary')}: {names}", "dim")
            )
        )
    return Document(f"ledger of {function.function.name}", tuple(blocks))


def window(rows: Iterable[Row], limit: int | None) -> Window:
    """The first and the last rows within the limit, and the number of rows left out between them."""
    head: list[Numbered] = []
    room = None if limit is None else max(2, limit)
    tail: deque[Numbered] = deque(maxlen=None if room is None else room // 2)
    call = 1
    total = 0
    for row in rows:
        total += 1
        (head if room is None or len(head) < room - room // 2 else tail).append(Numbered(call, row))
        call += row.count
    return Window(head, list(tail), total - len(head) - len(tail))


def _columns(factors: Sequence[Factor]) -> tuple[Column, ...]:
    return (
        Column("call", "right"),
        Column("count", "right", priority=9),
        Column("event"),
        Column("called from", priority=8),
        *(Column(factor.title, priority=2 + place) for place, factor in enumerate(factors)),
        Column("traces", "right"),
        Column("compiles", "right"),
        Column("why", wrap=True),
    )


def _row(
    item: Numbered,
    factors: Sequence[Factor],
    places: dict[int, int],
    explained: dict[int, Explained],
    directory: str,
) -> TableRow:
    row = item.row
    place = places.get(row.specialization)
    values = [as_role("?", "dim") if place is None else _value(factor.values, place) for factor in factors]
    event = f"{row.event}, nested" if row.nested else row.event
    cells = (
        as_role(units.count(item.call), "number"),
        as_role(units.count(row.count), "number"),
        as_role(event, _EVENTS.get(row.event, "plain")),
        as_role(paths.place(row.call_site, directory), "path"),
        *values,
        as_role(units.count(row.traces), "number"),
        as_role(units.count(row.compiles), "number"),
        reason(row, explained.get(row.specialization)),
    )
    return TableRow(cells)


def _value(values: Sequence[str], place: int) -> Text:
    return as_role(cut(values[place], 32), "code")


def reason(row: Row, explained: Explained | None) -> Text:
    """Why a row made JAX work; nothing for a hit."""
    if row.event == "hit":
        return ()
    if row.event == "miss":
        note = explained.specialization.slow_path if explained else ""
        return as_role(note or "found in JAX's Python cache", "dim")
    if explained is None:
        return words("cause not known")
    delta = brief_delta(explained)
    return words(brief_cause(explained), Span("; ", "dim") if delta else "", delta)


def _constants(factors: Sequence[Factor]) -> list[Block]:
    if not factors:
        return []
    items = [(as_role(factor.name, "name"), as_role(cut(factor.values[0]), "code")) for factor in factors[:_CONSTANT]]
    more = len(factors) - _CONSTANT
    if more > 0:
        items.append((as_role(f"and {more} more", "dim"), ()))
    return [Paragraph(as_role("The same in every row:", "dim")), KeyValues(tuple(items))]
