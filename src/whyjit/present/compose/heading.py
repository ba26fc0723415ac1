"""The heading of a view of one function, and its findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.compose.words import as_role, code_of, prose, remedy_of, words
from whyjit.present.document import Block, Callout, Heading, Paragraph, Span

if TYPE_CHECKING:
    from whyjit.model.finding import Finding, FunctionReport
    from whyjit.present.document import Severity


def function_heading(function: FunctionReport, directory: str, *, level: int = 1, inside_s: float = 0.0) -> list[Block]:
    """Which function, where it is defined, its counts and what it cost.

    `inside_s` went into library functions traced within it, which the ranking counts as its own. It is told where the
    two figures would read differently.
    """
    about = function.function
    where = f"{paths.short(about.file, directory)}:{about.line}" if about.file else ""
    counts = [
        units.plural(function.calls, "call"),
        *([f"{units.count(function.nested_calls)} nested"] if function.nested_calls else []),
        units.plural(function.traces, "trace"),
        units.plural(function.lowerings, "lowering"),
        units.plural(function.compiles, "compile"),
    ]
    if function.persistent_cache_hits:
        counts.append(f"{units.count(function.persistent_cache_hits)} loaded from the persistent cache")
    cost = units.seconds(function.lost_s)
    differs = units.seconds(function.lost_s + inside_s) != cost
    also = f", and {units.seconds(inside_s)} in library functions traced inside it" if differs else ""
    return [
        Heading(words(Span(about.name, "name"), *(("  ", Span(where, "path")) if where != about.name else ())), level),
        Paragraph(words(Span(cost, "strong"), Span(f" in {', '.join(counts)}{also}", "plain"))),
    ]


def findings(function: FunctionReport) -> list[Block]:
    """Every finding of a function: what was seen, what to do, and when to leave it."""
    return [callout(finding) for finding in function.findings]


def callout(finding: Finding) -> Callout:
    """One finding."""
    details = [remedy_of(finding)]
    if finding.ignore:
        details.append(words(Span("Leave it ", "dim"), prose(_clause(finding.ignore), "dim")))
    severity: Severity = "bad" if finding.wrong else "warn"
    return Callout(severity, words(code_of(finding), ": ", prose(finding.text)), tuple(details))


def _clause(text: str) -> str:
    """When to leave a finding, as the end of a sentence."""
    if text.lower().startswith(("when ", "if ", "where ", "while ", "as long as ", "for ", "in ", "unless ", "until ")):
        return text[0].lower() + text[1:]
    return f"if: {text}"


def no_findings(function: FunctionReport) -> list[Block]:
    """What to say of a function with which nothing is wrong."""
    return [] if function.findings else [Paragraph(as_role("No finding.", "good"))]
