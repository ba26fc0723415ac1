"""Two runs beside each other: what it cost before and after, by function and cause, and what became of the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import units
from whyjit.present.compose.shifts import failures, findings, functions, shifted, shifts
from whyjit.present.compose.words import as_role, joined, words
from whyjit.present.document import (
    Block,
    Callout,
    Column,
    Document,
    KeyValues,
    Paragraph,
    Severity,
    Span,
    Table,
    TableRow,
    Text,
)

if TYPE_CHECKING:
    from whyjit.model.comparison import Comparison

_TOTALS = (Column(""), Column("before", "right"), Column("after", "right"), Column("change", "right"))


def compare(comparison: Comparison, *, before: str = "", after: str = "") -> Document:
    """The comparison of two runs; `before` and `after` say where they are kept."""
    blocks: list[Block] = [_headline(comparison), _runs(comparison, before, after), _totals(comparison)]
    blocks += _remarks(comparison)
    blocks += functions(comparison)
    blocks += findings(comparison)
    blocks += failures(comparison)
    return Document("whyjit compare", tuple(blocks))


def _headline(comparison: Comparison) -> Callout:
    old, new = comparison.before.totals, comparison.after.totals
    lost = comparison.before.lost_s, comparison.after.lost_s
    counts = [
        words(f"{noun} ", shifted(units.count(one), units.count(other)))
        for noun, one, other in (("traces", old.traces, new.traces), ("compiles", old.compiles, new.compiles))
    ]
    more = [new.traces - old.traces, new.compiles - old.compiles]
    urgent = [each for each in shifts(comparison, "new") if each.after and each.after.wrong]
    errors = [each for each in comparison.failures if each.state == "new"]
    severity: Severity = "info"
    if urgent or errors:
        severity = "bad"
    elif any(each > 0 for each in more):
        severity = "warn" if all(each >= 0 for each in more) else "info"
    elif any(more):
        severity = "good"
    change = _change(*lost)
    text = words(
        "tracing and compiling took ",
        Span(units.seconds(lost[0]), "strong"),
        " before and ",
        Span(units.seconds(lost[1]), "strong"),
        " after",
        words(" (", change, ")") if change else (),
        "; ",
        joined(counts),
    )
    if urgent:
        text = words(Span(urgent[0].code, "bad", urgent[0].code), " is new: results may be wrong; ", text)
    elif errors:
        text = words(Span(units.plural(len(errors), "new error"), "bad"), " while tracing; ", text)
    return Callout(severity, text)


def _change(old: float, new: float, *, counted: bool = False) -> Text:
    """How much less or more, of seconds or of a count; nothing where it is not worth a word."""
    if old <= 0 or abs(new - old) < 0.005 * old:
        return ()
    if new < old:
        return words(f"{units.share(old - new, old)} {'fewer' if counted else 'less'}")
    if new < 2 * old:
        return words(f"{units.share(new - old, old)} more")
    return words(f"{new / old:.1f} times as {'many' if counted else 'much'}")


def _runs(comparison: Comparison, before: str, after: str) -> KeyValues:
    items = [
        (
            as_role(name, "dim"),
            words(" ".join(side.environment.argv) or "a recording", *_where(where), *_processes(side.processes)),
        )
        for name, side, where in (("before", comparison.before, before), ("after", comparison.after, after))
    ]
    return KeyValues(tuple(items))


def _where(where: str) -> tuple[str | Span, ...]:
    return ("  ", Span(where, "path")) if where else ()


def _processes(count: int) -> tuple[Span, ...]:
    return (Span(f"  {count:,} processes, counted together", "dim"),) if count > 1 else ()


def _totals(comparison: Comparison) -> Table:
    old, new = comparison.before.totals, comparison.after.totals
    counts = (
        ("calls", old.calls, new.calls),
        ("traces", old.traces, new.traces),
        ("lowerings", old.lowerings, new.lowerings),
        ("compiles", old.compiles, new.compiles),
        ("from the persistent cache", old.persistent_cache_hits, new.persistent_cache_hits),
    )
    seconds = (
        ("tracing", old.trace_s, new.trace_s),
        ("lowering", old.lower_s, new.lower_s),
        ("compiling", old.compile_s, new.compile_s),
        ("not attributed", old.unattributed_s, new.unattributed_s),
        ("wall time", old.seconds, new.seconds),
    )
    rows = [
        _total(name, units.count(one), units.count(other), _change(one, other, counted=True))
        for name, one, other in counts
        if one or other or name != "from the persistent cache"
    ]
    rows += [
        _total(name, units.seconds(one), units.seconds(other), _change(one, other))
        for name, one, other in seconds
        if one or other
    ]
    return Table(_TOTALS, tuple(rows))


def _total(name: str, old: str, new: str, change: Text) -> TableRow:
    return TableRow((as_role(name, "dim"), as_role(old, "number"), as_role(new, "number"), change))


def _remarks(comparison: Comparison) -> list[Block]:
    """What the reader must know before trusting the difference."""
    texts: list[Text] = []
    for what, old, new in comparison.differences:
        if what != "command":
            texts.append(words(f"{what} differs: ", shifted(old or "none", new or "none")))
    for name, side in (("before", comparison.before), ("after", comparison.after)):
        if not side.complete:
            texts.append(words(f"The recording {name} ended early: its numbers are of what had been written by then."))
        if side.gaps:
            texts.append(
                words(f"{units.plural(side.gaps, 'thing')} could not be observed {name}; its report says what.")
            )
    calls = comparison.before.totals.calls, comparison.after.totals.calls
    if calls[0] != calls[1]:
        texts.append(words("The runs did not make equally many calls, so they may not have done the same work."))
    texts.append(words("Counts are exact. Seconds are of one run each, and differ a little from run to run."))
    return [
        Paragraph(tuple(Span(span.text, "dim" if span.role == "plain" else span.role) for span in text))
        for text in texts
    ]
