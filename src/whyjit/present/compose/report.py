"""The longer report: every function with its findings and causes, then failures and gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import units
from whyjit.present.compose.failures import blocks_of
from whyjit.present.compose.heading import findings, function_heading
from whyjit.present.compose.headline import headline
from whyjit.present.compose.processes import one_of, section
from whyjit.present.compose.ranking import Ranked, rank
from whyjit.present.compose.reasons import patterns
from whyjit.present.compose.summary import ranking_table, time_share
from whyjit.present.compose.why import by_cause
from whyjit.present.compose.words import as_role, prose, words
from whyjit.present.document import (
    Block,
    Callout,
    Document,
    Heading,
    KeyValues,
    Paragraph,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.processes import Together
    from whyjit.model.finding import Report

_LINES = 30
_FUNCTIONS = 20


def report(report: Report, *, where: str = "", together: Together | None = None) -> Document:
    """Everything about a run that can be read from top to bottom.

    `where` names the folder of the recording; `together` are all processes of the run, where there are several.
    """
    lines = rank(report)
    head = headline(report, lines, together)
    blocks: list[Block] = [Callout(head.severity, head.text), *one_of(together, report.environment)]
    blocks += [*time_share(report.totals), _totals(report, where)]
    for failure in report.failures:
        blocks += blocks_of(failure, directory=report.environment.directory, level=2)
    if lines:
        blocks.append(Heading(words("Where the time went")))
        blocks += ranking_table(lines, report.environment.directory, entries=_LINES, bare=_LINES, findings=0)
    blocks += _functions(report, lines)
    blocks += section(together, report.environment)
    if report.gaps:
        blocks.append(Heading(words("What could not be observed")))
        blocks.append(KeyValues(tuple((as_role(gap.what, "name"), prose(gap.reason)) for gap in report.gaps)))
    return Document("whyjit report", tuple(blocks))


def _totals(report: Report, where: str) -> KeyValues:
    totals, environment = report.totals, report.environment
    seconds = units.seconds
    items: list[tuple[str, str]] = [
        ("calls", units.count(totals.calls)),
        ("traces", f"{units.count(totals.traces)}, {seconds(totals.trace_s)}"),
        ("lowerings", f"{units.count(totals.lowerings)}, {seconds(totals.lower_s)}"),
        ("compiles", f"{units.count(totals.compiles)}, {seconds(totals.compile_s)}"),
        ("loaded from the persistent cache", units.count(totals.persistent_cache_hits)),
        ("not attributed", seconds(totals.unattributed_s)),
        ("wall time", seconds(totals.seconds) if report.complete else f"{seconds(totals.seconds)}, ended early"),
        ("command", " ".join(environment.argv)),
        ("versions", _versions(report)),
        ("process", f"{environment.process_index} (pid {environment.pid})" if environment.pid else ""),
        ("recorded in", where),
    ]
    return KeyValues(tuple((as_role(name, "dim"), as_role(text, "plain")) for name, text in items if text))


def _versions(report: Report) -> str:
    environment = report.environment
    jax = f", JAX {environment.jax}, jaxlib {environment.jaxlib}" if environment.jax else ""
    platform = f" on {environment.platform}" if environment.platform else ""
    return f"Python {environment.python}{jax}{platform}"


def _functions(report: Report, lines: Sequence[Ranked]) -> list[Block]:
    """The functions with findings or with more than one specialization, in the order of the ranking."""
    blocks: list[Block] = []
    told: set[int] = set()
    for line in lines:
        for function in line.functions:
            key = function.function.id
            if key in told or not (function.findings or len(function.specializations) > 1):
                continue
            told.add(key)
            if len(told) <= _FUNCTIONS:
                blocks += function_heading(function, report.environment.directory, level=2, inside_s=line.inside_s)
                blocks += findings(function)
                if len(patterns(function.specializations)) > 1:
                    blocks += by_cause(function.specializations, level=3)
    more = len(told) - _FUNCTIONS
    if more > 0:
        blocks.append(Paragraph(as_role(f"and {units.plural(more, 'more function')}", "dim")))
    return blocks
