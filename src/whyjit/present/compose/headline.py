"""The first line: what the reader needs most, and where to start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from whyjit.present import paths, units
from whyjit.present.compose.failures import named
from whyjit.present.compose.processes import named as process_name
from whyjit.present.compose.ranking import NEGLIGIBLE, first_of
from whyjit.present.compose.words import LONG_NAME, as_role, cut, prose, words
from whyjit.present.document import Severity, Span, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.processes import Together
    from whyjit.model.finding import Report
    from whyjit.present.compose.ranking import Ranked


class Headline(msgspec.Struct, frozen=True):
    """The first line, how grave it is, and the numbers it rests on."""

    text: Text
    severity: Severity
    lost_s: float
    needless_s: float


def headline(report: Report, lines: Sequence[Ranked], together: Together | None = None) -> Headline:
    """Wrong results come first, then failures, then time that need not have been spent, then calm.

    Of a run of several processes it names the one that it is about.
    """
    made = _headline(report, lines)
    process = process_name(together, report.environment)
    return msgspec.structs.replace(made, text=words(f"{process}: ", made.text)) if process else made


def _headline(report: Report, lines: Sequence[Ranked]) -> Headline:
    totals = report.totals
    lost = totals.trace_s + totals.lower_s + totals.compile_s + totals.unattributed_s
    needless = min(lost, sum(line.saves_s for line in lines))
    directory = report.environment.directory
    time = _time(lost, totals.seconds)
    best = first_of(lines)
    if best is not None and best.urgent:
        stale = next(finding for finding in best.findings if finding.wrong)
        return Headline(words(prose(stale.text), ": start with ", _start(best, directory)), "bad", lost, needless)
    if report.failures:
        first = report.failures[0]
        count = len(report.failures)
        where = f"{paths.short(first.file, directory)}:{first.line}" if first.file else ""
        subject = words(Span(named(first), "name"), *_bracket(where))
        lead = "1 error" if count == 1 else f"{count} errors"
        return Headline(
            words(Span(lead, "bad"), " while tracing: start with ", subject, "; ", time), "bad", lost, needless
        )
    if best is None:
        return Headline(_calm(report, time, lost), "good", lost, 0.0)
    if 0 < needless < NEGLIGIBLE * lost and all(one.saves_s > 0 for line in lines for one in line.findings):
        return Headline(
            words(time, f"; hardly any of it was needless ({units.seconds(needless)})"), "good", lost, needless
        )
    if needless > 0:
        wasted = Span(units.seconds(needless), "warn")
        text = words(time, "; ", wasted, " of it was needless: start with ", _start(best, directory))
    else:
        count = sum(len(line.findings) for line in lines)
        text = words(time, "; ", units.plural(count, "finding"), ": start with ", _start(best, directory))
    return Headline(text, "warn", lost, needless)


def _time(lost: float, seconds: float) -> Text:
    spent = Span(units.seconds(lost), "strong")
    if 0 < lost <= seconds:
        share = units.share(lost, seconds)
        return words(spent, f" of {units.seconds(seconds)} ({share}) went into tracing and compiling")
    if seconds > 0 and lost > 0:
        return words(spent, f" of tracing and compiling in {units.seconds(seconds)}, in several threads at once")
    return words(spent, " went into tracing and compiling")


def _calm(report: Report, time: Text, lost: float) -> Text:
    totals = report.totals
    if lost > 0 or totals.traces or totals.compiles:
        return words(time, "; nothing of it was needless")
    if totals.calls:
        return words("nothing was traced or compiled")
    return words("no call of a jitted function was seen")


def _start(line: Ranked, directory: str) -> Text:
    located = next((finding.location for finding in line.findings if finding.location is not None), None)
    if line.kind != "function":
        site = located or (line.sites[0] if line.sites else None)
        return as_role(paths.place(site, directory), "path") if site else as_role(line.names[0], "name")
    function = line.functions[0].function
    where = paths.place(located, directory) if located else f"{paths.short(function.file, directory)}:{function.line}"
    return words(Span(cut(function.name, LONG_NAME), "name"), *_bracket(where))


def _bracket(where: str) -> tuple[str | Span, ...]:
    return (" (", Span(where, "path"), ")") if where else ()
