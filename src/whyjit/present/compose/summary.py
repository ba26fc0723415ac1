"""The screenful that ends a run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.clean import clean
from whyjit.present.compose.failures import brief
from whyjit.present.compose.headline import headline
from whyjit.present.compose.processes import one_of
from whyjit.present.compose.ranking import NEGLIGIBLE, Ranked, first_of, rank
from whyjit.present.compose.words import LONG_NAME, as_role, code_of, cut, listed, prose, remedy_of, words
from whyjit.present.document import (
    Block,
    Callout,
    Column,
    Document,
    Paragraph,
    Part,
    Share,
    Span,
    Table,
    TableRow,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.processes import Together
    from whyjit.model.failure import Failure
    from whyjit.model.finding import Finding, Report, Totals

_ENTRIES = 5
_BARE = 4
_FAILURES = 2
_ONE_BY_ONE = "eager-ops"

COLUMNS = (
    Column("lost", "right"),
    Column("function", priority=0),
    Column("calls", "right", priority=2),
    Column("traces", "right", priority=1),
    Column("lowerings", "right", priority=3),
    Column("compiles", "right", priority=1),
    Column("called from", priority=0),
)


def summary(
    report: Report,
    *,
    where: str = "",
    told: Failure | None = None,
    command: str = "whyjit why",
    together: Together | None = None,
) -> Document:
    """What a run cost, what of it was needless, and what to do.

    `where` names the folder of the recording; `told` is a failure that the reader has just been told of in full;
    `command` is what tells more of a function, "" where nothing does; `together` are all processes of the run, where
    there are several.
    """
    lines = rank(report)
    head = headline(report, lines, together)
    quiet = not report.failures and not any(line.findings for line in lines)
    blocks: list[Block] = [Callout(head.severity, words(Span("whyjit: ", "dim"), head.text))]
    if quiet:
        blocks.append(Paragraph(words(_counts(report.totals), _most(lines))))
    else:
        blocks += [*time_share(report.totals), Paragraph(_counts(report.totals))]
        blocks += _failures([failure for failure in report.failures if failure != told], report.environment.directory)
        blocks += ranking_table(lines, report.environment.directory, entries=_ENTRIES, bare=_BARE, findings=1)
    blocks += one_of(together, report.environment)
    blocks += remarks(report)
    worth = head.severity != "good"
    blocks += _next(first_of(lines) if worth else None, quiet=quiet, where=where, command=command)
    return Document("whyjit", tuple(blocks))


def time_share(totals: Totals) -> list[Block]:
    """The bar of where the time of the run went."""
    parts = (
        Part("trace", totals.trace_s, "path"),
        Part("lower", totals.lower_s, "code"),
        Part("compile", totals.compile_s, "warn"),
        Part("unattributed", totals.unattributed_s, "dim"),
    )
    known = tuple(part for part in parts if part.seconds > 0)
    return [Share(known, max(totals.seconds, sum(part.seconds for part in known)))] if known else []


def _counts(totals: Totals) -> Text:
    pieces = [
        units.plural(totals.calls, "call"),
        units.plural(totals.traces, "trace"),
        units.plural(totals.lowerings, "lowering"),
        units.plural(totals.compiles, "compile"),
    ]
    if totals.persistent_cache_hits:
        pieces.append(f"{units.count(totals.persistent_cache_hits)} loaded from the persistent cache")
    return words(Span(", ".join(pieces), "dim"))


def _most(lines: Sequence[Ranked]) -> Text:
    if not lines or lines[0].lost_s <= 0:
        return ()
    return words(Span("; most of the time in ", "dim"), label(lines[0]))


def _failures(failures: Sequence[Failure], directory: str) -> list[Block]:
    blocks: list[Block] = []
    for failure in failures[:_FAILURES]:
        blocks += brief(failure, directory)
    more = len(failures) - _FAILURES
    if more > 0:
        blocks.append(Paragraph(as_role(f"and {units.plural(more, 'more failure')}", "dim")))
    return blocks


def ranking_table(
    lines: Sequence[Ranked],
    directory: str,
    *,
    entries: int,
    bare: int,
    findings: int,
) -> list[Block]:
    """The ranked lines: those with findings in full, the costly ones without in one line each, the rest summed."""
    total = sum(line.lost_s for line in lines)
    full = 0
    single = 0
    shown: list[Ranked] = []
    rest: list[Ranked] = []
    for line in lines:
        if line.findings and full < entries and not 0 < line.saves_s < NEGLIGIBLE * total:
            full += 1
            shown.append(line)
        elif single < bare and line.lost_s > NEGLIGIBLE * total:
            single += 1
            shown.append(line)
        else:
            rest.append(line)
    rows = [
        _row(line, directory, 0 if 0 < line.saves_s < NEGLIGIBLE * total else findings + (place == 0 and findings > 0))
        for place, line in enumerate(shown)
    ]
    note = ""
    if rest:
        lost = units.seconds(sum(line.lost_s for line in rest))
        flagged = sum(1 for line in rest if line.findings)
        also = f", {flagged} of them with findings" if flagged else ""
        note = f"and {units.plural(len(rest), 'more function')} ({lost}){also}"
    return [Table(COLUMNS, tuple(rows), as_role(note, "dim"))] if rows else []


def _row(line: Ranked, directory: str, findings: int) -> TableRow:
    calls = units.count(line.calls)
    if not line.calls and line.nested_calls:
        calls = f"{units.count(line.nested_calls)} nested"
    cells = (
        as_role(units.seconds(line.lost_s), "number"),
        label(line),
        as_role(calls, "number"),
        as_role(units.count(line.traces), "number"),
        as_role(units.count(line.lowerings), "number"),
        as_role(units.count(line.compiles), "number"),
        sites(line, directory),
    )
    details: list[Text] = []
    told, others = _apart(line.findings)
    for finding in told[:findings]:
        details += [words(code_of(finding), ": ", prose(finding.text)), remedy_of(finding)]
        if others and finding.code == _ONE_BY_ONE:
            details.append(_likewise(others))
    more = len(told) - findings
    if more > 0 and findings > 0:
        details.append(as_role(f"and {units.plural(more, 'more finding')}", "dim"))
    return TableRow(cells, tuple(details))


def _apart(findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings to tell, and those that say of further lines of the same function what one of the first says."""
    told: list[Finding] = []
    others: list[Finding] = []
    for finding in findings:
        again = finding.code == _ONE_BY_ONE and any(one.code == _ONE_BY_ONE for one in told)
        (others if again else told).append(finding)
    return told, others


def _likewise(others: Sequence[Finding]) -> Text:
    numbers = [str(one.location.line) for one in others if one.location is not None]
    saved = units.seconds(sum(one.saves_s for one in others))
    plural = "lines" if len(numbers) > 1 else "line"
    return as_role(f"likewise at {plural} {listed(numbers, 6)}, where it saves {saved}", "dim")


def label(line: Ranked) -> Text:
    """The name of a ranked line: the function's, or those of the library functions behind a line of the user's."""
    name = cut(line.names[0], LONG_NAME)
    if line.kind == "function":
        return as_role(name, "name")
    kind = "op by op" if line.kind == "eager" else "library"
    more = f" +{len(line.names) - 1}" if len(line.names) > 1 else ""
    return words(Span(f"{kind}: ", "dim"), Span(name, "name"), Span(more, "dim"))


def sites(line: Ranked, directory: str) -> Text:
    """The call sites of a ranked line: the most costly, and how many more there are."""
    if not line.sites:
        return as_role("not known", "dim")
    first = Span(paths.place(line.sites[0], directory), "path")
    more = len(line.sites) - 1
    return words(first, Span(f" +{more}", "dim")) if more else words(first)


def remarks(report: Report) -> list[Block]:
    """What the reader must know to trust the numbers: an early end, and what could not be observed."""
    blocks: list[Block] = []
    if not report.complete:
        text = "The recording ended early: the numbers are of what had been written by then."
        blocks.append(Paragraph(as_role(text, "warn")))
    if report.gaps:
        names = listed(list(dict.fromkeys(gap.what for gap in report.gaps)), 2)
        text = f"Not observed: {names} (whyjit report says why)"
        blocks.append(Paragraph(as_role(text, "dim")))
    return blocks


def _next(target: Ranked | None, *, quiet: bool, where: str, command: str) -> list[Block]:
    recorded = words(Span("recorded in ", "dim"), Span(where, "path")) if where else ()
    if quiet or not command:
        return [Paragraph(recorded)] if recorded else []
    more = f"{command} {_argument(target)}" if target else "whyjit report"
    step = words(Span("; next: " if recorded else "next: ", "dim"), Span(more, "code"))
    return [Paragraph(words(recorded, step))]


def _argument(line: Ranked) -> str:
    """The name of the function that the first finding is about, as a shell takes it."""
    owners = (one for one in line.functions if any(finding in one.findings for finding in line.findings[:1]))
    return shlex.quote(clean(next(owners, line.functions[0]).function.name))
