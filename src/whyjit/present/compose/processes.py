"""The processes of a run together: each one's counts, and where they part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings import process_divergence
from whyjit.present import units
from whyjit.present.compose.words import as_role, code_of, prose, remedy_of, words
from whyjit.present.document import Block, Callout, Column, Document, Table, TableRow

if TYPE_CHECKING:
    from whyjit.analyse.processes import ProcessRow, Together

_COLUMNS = (
    Column("process", "right", priority=0),
    Column("pid", "right", priority=4),
    Column("lost", "right"),
    Column("calls", "right", priority=2),
    Column("traces", "right", priority=1),
    Column("lowerings", "right", priority=3),
    Column("compiles", "right", priority=1),
    Column("from disk", "right", priority=3),
    Column("wall time", "right", priority=2),
    Column(""),
)
_SHOWN = 16


def processes(together: Together) -> Document:
    """All processes beside each other; of many, those that took longest."""
    blocks: list[Block] = []
    if together.divergence is not None:
        finding = process_divergence.find(together.divergence)
        details = (remedy_of(finding), as_role(f"Leave it: {finding.ignore[0].lower()}{finding.ignore[1:]}", "dim"))
        blocks.append(Callout("bad", words(code_of(finding), ": ", prose(finding.text)), details))
    elif len({row.environment.process_index for row in together.rows}) > 1:
        blocks.append(Callout("good", words("every process staged the same programs in the same order")))
    parted = frozenset(together.divergence.others) if together.divergence else frozenset()
    rows = list(together.rows)
    shown = rows if len(rows) <= _SHOWN else sorted(rows, key=lambda row: -row.lost_s)[:_SHOWN]
    table = [_row(row, parted) for row in shown]
    if len(rows) > 1:
        table.append(_sum(rows))
    more = len(rows) - len(shown)
    note = f"and {units.count(more)} more processes, which lost less time" if more else ""
    blocks.append(Table(_COLUMNS, tuple(table), as_role(note, "dim")))
    return Document("whyjit processes", tuple(blocks))


def _row(row: ProcessRow, parted: frozenset[int]) -> TableRow:
    remarks = []
    if row.environment.process_index in parted:
        remarks.append("differs")
    if not row.complete:
        remarks.append("ended early")
    return TableRow(
        (
            as_role(str(row.environment.process_index), "number"),
            as_role(str(row.environment.pid), "dim"),
            as_role(units.seconds(row.lost_s), "number"),
            *(as_role(units.count(count), "number") for count in _counts(row)),
            as_role(units.seconds(row.seconds), "number"),
            as_role(", ".join(remarks), "warn"),
        )
    )


def _sum(rows: list[ProcessRow]) -> TableRow:
    sums = [sum(counts) for counts in zip(*map(_counts, rows), strict=True)]
    return TableRow(
        (
            as_role("all", "strong"),
            as_role("", "dim"),
            as_role(units.seconds(sum(row.lost_s for row in rows)), "number"),
            *(as_role(units.count(count), "number") for count in sums),
            as_role(units.seconds(max(row.seconds for row in rows)), "number"),
            (),
        )
    )


def _counts(row: ProcessRow) -> tuple[int, ...]:
    return row.calls, row.traces, row.lowerings, row.compiles, row.persistent_cache_hits
