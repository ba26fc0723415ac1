"""The processes of a run together: each one's counts, and where they part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings import process_divergence
from whyjit.present import units
from whyjit.present.compose.words import as_role, code_of, prose, remedy_of, words
from whyjit.present.document import Block, Callout, Column, Document, Heading, Paragraph, Span, Table, TableRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.processes import ProcessRow, Together
    from whyjit.model.recording import Environment
    from whyjit.present.document import Severity, Text

_NUMBERED = (Column("process", "right", priority=0), Column("pid", "right", priority=4))
_BY_PID = (Column("pid", "right", priority=0),)
_COLUMNS = (
    Column("lost", "right"),
    Column("needless", "right", priority=1),
    Column("calls", "right", priority=2),
    Column("traces", "right", priority=1),
    Column("lowerings", "right", priority=3),
    Column("compiles", "right", priority=1),
    Column("from disk", "right", priority=3),
    Column("wall time", "right", priority=2),
    Column("remarks"),
)
_SHOWN = 16


def processes(together: Together, *, about: Environment | None = None) -> Document:
    """All processes beside each other; of many, those that took longest. `about` is the one of the report around it."""
    blocks: list[Block] = divergence(together)
    if not blocks and together.numbered:
        blocks.append(Callout("good", words("every process staged the same programs in the same order")))
    return Document("whyjit processes", (*blocks, _table(together, about)))


def divergence(together: Together) -> list[Block]:
    """Where the processes part, if they do."""
    if together.divergence is None:
        return []
    finding = process_divergence.find(together.divergence)
    details = (remedy_of(finding), as_role(f"Leave it: {finding.ignore[0].lower()}{finding.ignore[1:]}", "dim"))
    return [Callout("bad", words(code_of(finding), ": ", prose(finding.text)), details)]


def one_of(together: Together | None, about: Environment) -> list[Block]:
    """That a report is of one process of several, what all of them did, and where they part; else nothing."""
    if together is None:
        return []
    another = "For another one name its file, in the folder of the run: it begins with the pid."
    details = (as_role(another, "dim"),) if together.rows else ()
    return [Callout(_severity(together, about), _said(together, about), details), *divergence(together)]


def section(together: Together | None, about: Environment) -> list[Block]:
    """The processes as a part of a report on one of them."""
    if together is None or not together.rows:
        return []
    return [Heading(words("All processes of the run")), _table(together, about), *_unread(together)]


def named(together: Together | None, about: Environment) -> str:
    """The process of a report in a few words; "" where there is no other."""
    if together is None:
        return ""
    if together.distinct or not together.rows:
        return f"process {about.process_index} of {together.count:,}"
    return f"one of {together.count:,} processes"


def _said(together: Together, about: Environment) -> Text:
    lead = words("This is about ", Span(named(together, about), "strong"), f", pid {about.pid}")
    if not together.rows:
        return words(lead, "; ", Span("whyjit processes", "quoted"), " shows all of them together")
    others = [row for row in together.rows if row.environment != about]
    sums = [sum(counts) for counts in zip(*map(_counts, together.rows), strict=True)]
    done = f"{units.plural(sums[1], 'trace')}, {units.plural(sums[2], 'lowering')}, {units.plural(sums[3], 'compile')}"
    lost = sum(row.lost_s for row in together.rows)
    there = sum(row.lost_s for row in others)
    needless = sum(row.needless_s or 0.0 for row in others)
    rest = "the other one" if len(others) == 1 else f"the other {len(others):,}"
    return words(
        lead,
        ". Together they took ",
        Span(units.seconds(lost), "strong"),
        f" for {done}; {units.seconds(there)} of it in {rest}",
        *((", where ", Span(units.seconds(needless), "warn"), " was needless") if needless > 0 else ()),
        ".",
    )


def _severity(together: Together, about: Environment) -> Severity:
    found = any(row.findings for row in together.rows if row.environment != about)
    return "warn" if found else "info"


def _unread(together: Together) -> list[Block]:
    if not together.unread:
        return []
    text = f"{units.plural(together.unread, 'recording')} could not be read: the sums are without"
    return [Paragraph(as_role(text, "warn"))]


def _table(together: Together, about: Environment | None) -> Table:
    parted = frozenset(together.divergence.others) if together.divergence else frozenset()
    rows = list(together.rows)
    shown = rows if len(rows) <= _SHOWN else sorted(rows, key=lambda row: -row.lost_s)[:_SHOWN]
    table = [_row(row, parted, about, numbered=together.numbered) for row in shown]
    if len(rows) > 1:
        table.append(_sum(rows, numbered=together.numbered))
    more = len(rows) - len(shown)
    note = f"and {units.count(more)} more processes, which lost less time" if more else ""
    columns = (*(_NUMBERED if together.numbered else _BY_PID), *_COLUMNS)
    return Table(columns, tuple(table), as_role(note, "dim"))


def _row(row: ProcessRow, parted: frozenset[int], about: Environment | None, *, numbered: bool) -> TableRow:
    remarks = []
    if row.environment == about:
        remarks.append(Span("this report", "dim"))
    if numbered and row.environment.process_index in parted:
        remarks.append(Span("differs", "warn"))
    if not row.complete:
        remarks.append(Span("ended early", "warn"))
    environment = row.environment
    index, pid = as_role(str(environment.process_index), "number"), as_role(str(environment.pid), "dim")
    return TableRow(
        (
            *((index, pid) if numbered else (pid,)),
            as_role(units.seconds(row.lost_s), "number"),
            _needless([row]),
            *(as_role(units.count(count), "number") for count in _counts(row)),
            as_role(units.seconds(row.seconds), "number"),
            words(*(piece for at, remark in enumerate(remarks) for piece in ((", ", remark) if at else (remark,)))),
        )
    )


def _sum(rows: list[ProcessRow], *, numbered: bool) -> TableRow:
    sums = [sum(counts) for counts in zip(*map(_counts, rows), strict=True)]
    return TableRow(
        (
            as_role("all", "strong"),
            *(((),) if numbered else ()),
            as_role(units.seconds(sum(row.lost_s for row in rows)), "number"),
            _needless(rows),
            *(as_role(units.count(count), "number") for count in sums),
            as_role(units.seconds(max(row.seconds for row in rows)), "number"),
            (),
        )
    )


def _needless(rows: Sequence[ProcessRow]) -> Text:
    needless = [row.needless_s for row in rows if row.needless_s is not None]
    return as_role(units.seconds(sum(needless)) if needless else "", "number")


def _counts(row: ProcessRow) -> tuple[int, ...]:
    return row.calls, row.traces, row.lowerings, row.compiles, row.persistent_cache_hits
