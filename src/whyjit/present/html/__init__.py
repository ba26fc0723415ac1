"""One HTML file for a run: no network, no server, everything computed here; the page only shows it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from whyjit.analyse.findings import process_divergence
from whyjit.present import units
from whyjit.present.calls import Brief, Calls, RowsAt, take
from whyjit.present.clean import clean
from whyjit.present.compose.failures import blocks_of
from whyjit.present.compose.heading import callout
from whyjit.present.compose.headline import headline
from whyjit.present.compose.processes import named, one_of, section
from whyjit.present.compose.ranking import Ranked, rank
from whyjit.present.compose.summary import time_share
from whyjit.present.compose.tracing import PAGE as RUNS_ONCE
from whyjit.present.compose.tracing import told_once
from whyjit.present.document import Span
from whyjit.present.html.assets import asset, page_style, template
from whyjit.present.html.blocks import Painter
from whyjit.present.html.documents import fragment, page
from whyjit.present.html.pages import page_html
from whyjit.present.html.programs import ProgramOf, Programs, SourceOf
from whyjit.present.html.tellings import Told
from whyjit.present.html.timeline import timeline, whole
from whyjit.present.html.views import COLUMNS, ROWS, Views, failures_of, inside, ranking

if TYPE_CHECKING:
    from whyjit.analyse.processes import Together
    from whyjit.model.finding import Finding, Report
    from whyjit.model.recording import Environment, Function
    from whyjit.present.document import Text

PageOf = Callable[[str], str | None]

_PROGRAM_BYTES = 300_000
_TRACE_BYTES = 150_000
_FAILURES = 20
_ADVICE = 3
_WORTH = 0.05


def render(
    report: Report,
    *,
    ledger: Iterable[Brief] = (),
    rows_at: RowsAt = lambda _: (),
    program_of: ProgramOf | None = None,
    source_of: SourceOf | None = None,
    page_of: PageOf | None = None,
    together: Together | None = None,
) -> str:
    """The report as one HTML file.

    `ledger` are all its ledger rows in brief (position, function, count, moment), `rows_at` gives those at some
    positions, `program_of` a staged program by its key, `source_of` the
    text of a source line, `page_of` the page of a finding's or failure's code as Markdown. `together` are all processes
    of the run, where there are several. What is not given is left out.
    """
    directory = report.environment.directory
    lines = rank(report)
    pages = _pages(report, together, page_of)
    painter = Painter(pages)
    head = headline(report, lines, together)
    totals = report.totals
    failures = report.failures[:_FAILURES]
    seconds = whole(report)
    calls = take(ledger, rows_at, seconds, ROWS)
    data, prepared = _functions(report, lines, painter, calls, program_of, source_of)
    made: str = template("page.html.jinja").render(
        title=clean(" ".join(report.environment.argv) or "run"),
        facts=_facts(report.environment, named(together, report.environment)),
        headline=painter.inline(_sentence(head.text)),
        severity=head.severity,
        one_of=painter.blocks(one_of(together, report.environment)),
        processes=painter.blocks(section(together, report.environment)[1:]),
        share=painter.blocks(time_share(totals)),
        counts=_counts(report),
        advice=_advice(lines, painter),
        complete=report.complete,
        gaps=[(clean(gap.what), clean(gap.reason)) for gap in report.gaps],
        failures=[painter.blocks(blocks_of(failure, directory=directory, level=2)) for failure in failures],
        more_failures=len(report.failures) - len(failures),
        timeline=timeline(report, calls.density, seconds),
        report_loads=totals.persistent_cache_hits,
        columns=COLUMNS,
        any_lines=bool(data["lines"]),
        modules=sorted({line["module"] for line in data["lines"] if line["module"]}),
        prepared=prepared,
        pages=[(code, page_html(text)) for code, text in pages.items()],
        data=_embedded(data),
        style=Markup(page_style()),  # noqa: S704  ours
        script=Markup(asset("page.js")),  # noqa: S704  ours
        clean=clean,
        percent=_percent,
    )
    return made


def _functions(
    report: Report,
    lines: Iterable[Ranked],
    painter: Painter,
    calls: Calls,
    program_of: ProgramOf | None,
    source_of: SourceOf | None,
) -> tuple[dict[str, Any], list[tuple[int, Markup]]]:
    """The data of all functions, and the parts of their views that are HTML already."""
    directory = report.environment.directory
    ranked = list(lines)
    program_of, source_of = program_of or (lambda _: None), source_of or (lambda _file, _line: "")
    told = Told(report.functions, painter, program_of, source_of, directory, _TRACE_BYTES)
    programs = Programs(program_of, source_of, directory, _PROGRAM_BYTES)
    views = Views(painter, directory, calls)
    failures = failures_of(report)
    functions: dict[str, Any] = {}
    prepared: list[tuple[int, Markup]] = []
    in_order = dict.fromkeys(function.function.id for line in ranked for function in line.functions)
    by_id = {function.function.id: function for function in report.functions}
    for key in [*in_order, *(key for key in by_id if key not in in_order)]:
        function = by_id[key]
        shown, missing = programs.of(function)
        data, html = views.view(function, failures.get(key, ()), [*told.of(function), ("programs", shown)])
        if missing:
            data["missing"] = missing
        functions[str(key)] = data
        if html:
            prepared.append((key, html))
    lines_of_page = [
        *ranking(ranked, directory, failures),
        *inside([by_id[key] for key in by_id if key not in in_order], directory),
    ]
    pool = views.pool
    made = {"lines": lines_of_page, "functions": functions, "cells": pool.cells, "columns": pool.columns}
    return made, prepared


def _advice(lines: Iterable[Ranked], painter: Painter) -> list[tuple[int, str, Markup]]:
    """The findings that matter most: the function's id and name, and the finding."""
    every = [(line, finding) for line in lines for finding in line.findings]
    most = max((finding.saves_s for _, finding in every), default=0.0)
    found = [pair for pair in every if pair[1].wrong or pair[1].saves_s >= _WORTH * most]
    found.sort(key=lambda pair: (not pair[1].wrong, -pair[1].saves_s))
    return [
        (owner.id, clean(owner.name), painter.block(callout(finding)))
        for line, finding in found[:_ADVICE]
        for owner in [_owner(line, finding)]
    ]


def _owner(line: Ranked, finding: Finding) -> Function:
    """The function that a finding is of: a line may hold several."""
    owners = [each for each in line.functions if any(one is finding for one in each.findings)]
    return (owners or line.functions)[0].function


def _pages(report: Report, together: Together | None, page_of: PageOf | None) -> dict[str, str]:
    """The pages of the codes that occur."""
    if page_of is None:
        return {}
    codes = [finding.code for function in report.functions for finding in function.findings]
    codes += [failure.code for failure in report.failures]
    codes += [RUNS_ONCE for function in report.functions if told_once(function.function.once)]
    codes += [process_divergence.PAGE.code] if together is not None and together.divergence is not None else []
    return {code: page for code in dict.fromkeys(codes) if (page := page_of(code))}


def _sentence(text: Text) -> Text:
    """A text as a heading begins: with a capital, unless it begins with code."""
    first = text[0] if text else Span("")
    if first.role != "plain":
        return text
    return (msgspec.structs.replace(first, text=f"{first.text[:1].upper()}{first.text[1:]}"), *text[1:])


def _counts(report: Report) -> list[tuple[str, str]]:
    totals = report.totals
    counted = [
        (totals.calls, "call"),
        (totals.traces, "trace"),
        (totals.lowerings, "lowering"),
        (totals.compiles, "compile"),
    ]
    loaded = (units.count(totals.persistent_cache_hits), "from the persistent cache")
    return [*((units.count(number), noun if number == 1 else f"{noun}s") for number, noun in counted), loaded]


def _facts(environment: Environment, process: str) -> list[str]:
    """Where and when the run was."""
    started = environment.started
    facts = [
        time.strftime("%Y-%m-%d %H:%M", time.localtime(started)) if started else "",
        f"Python {environment.python}",
        f"JAX {environment.jax}" if environment.jax else "",
        environment.platform,
        process or (f"process {environment.process_index}" if environment.process_index else ""),
    ]
    return [clean(fact) for fact in facts if fact]


def _embedded(data: dict[str, Any]) -> Markup:
    """The data as JSON that cannot end the element it stands in."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign in ("<", ">", "&"):
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704  no sign is left in it that means something in HTML


def _percent(share: float) -> str:
    return f"{100 * share:.3f}%"


__all__ = ["fragment", "page", "render"]
