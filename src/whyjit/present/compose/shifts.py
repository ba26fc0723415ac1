"""What became of functions, findings and errors from one run to another, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.compose.failures import named
from whyjit.present.compose.reasons import KINDS
from whyjit.present.compose.words import ARROW, LONG_NAME, as_role, code_of, cut, joined, listed, prose, words
from whyjit.present.document import Block, Column, Heading, Paragraph, Role, Span, Table, TableRow, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whyjit.model.comparison import CauseShift, Comparison, Counts, FindingShift, FunctionShift, State
    from whyjit.model.finding import FunctionReport

_FUNCTIONS = 20
_CAUSES = 6
_FINDINGS = 30
_NEGLIGIBLE = 0.005

_EACH = (
    Column("function"),
    Column("seconds", "right"),
    Column("traces", "right"),
    Column("compiles", "right"),
    Column("calls", "right", priority=2),
    Column("state", priority=1),
)
_WORDS: dict[State, str] = {"gone": "gone", "new": "new", "changed": "changed", "same": "as before"}
_ROLES: dict[State, Role] = {"gone": "good", "new": "warn", "changed": "dim", "same": "dim"}


def shifted(old: str, new: str) -> Text:
    """A value, or the old one and the new one."""
    return words(old) if old == new else words(old, " ", ARROW, " ", new)


def functions(comparison: Comparison) -> list[Block]:
    """What changed, with its causes; library functions that cost next to nothing, and what is as before, in a line."""
    total = max(comparison.before.lost_s, comparison.after.lost_s)
    shown: list[FunctionShift] = []
    rest: list[FunctionShift] = []
    same: list[FunctionShift] = []
    for shift in comparison.functions:
        if shift.state == "same":
            same.append(shift)
        elif len(shown) < _FUNCTIONS and _matters(shift, total):
            shown.append(shift)
        else:
            rest.append(shift)
    blocks: list[Block] = [Heading(words("By function"))]
    directories = comparison.before.environment.directory, comparison.after.environment.directory
    if shown:
        blocks.append(Table(_EACH, tuple(_row(shift, directories) for shift in shown)))
    for group, what in ((rest, "changed, too"), (same, "as before")):
        if group:
            blocks.append(Paragraph(_summed(group, what)))
    if not comparison.functions:
        blocks.append(Paragraph(words("No jitted function was seen in either run.")))
    return blocks


def _matters(shift: FunctionShift, total: float) -> bool:
    if shift.known.function.origin == "user" or shift.findings:
        return True
    return abs(shift.counts_after.seconds - shift.counts_before.seconds) > _NEGLIGIBLE * total


def _summed(group: Sequence[FunctionShift], what: str) -> Text:
    old, new = (sum(getattr(shift, side).seconds for shift in group) for side in ("counts_before", "counts_after"))
    names = listed([_name(shift.known) for shift in group], 3)
    text = f"{units.plural(len(group), 'more function' if what != 'as before' else 'function')} {what} ({names}): "
    return words(Span(text, "dim"), shifted(units.seconds(old), units.seconds(new)))


def _name(report: FunctionReport) -> str:
    """A function's name; for a line of the user's that calls JAX's operations, these."""
    operations = [each.specialization.operation for each in report.specializations]
    named = list(dict.fromkeys(operation for operation in operations if operation))
    return listed(named, 2) if report.function.origin == "eager" and named else report.function.name


def _row(shift: FunctionShift, directories: tuple[str, str]) -> TableRow:
    old, new = shift.counts_before, shift.counts_after
    lead = {"user": "", "library": "library: ", "eager": "op by op: "}[shift.known.function.origin]
    cells = (
        words(Span(lead, "dim"), Span(cut(_name(shift.known), LONG_NAME), "name")),
        shifted(units.seconds(old.seconds), units.seconds(new.seconds)),
        shifted(units.count(old.traces), units.count(new.traces)),
        shifted(units.count(old.compiles), units.count(new.compiles)),
        shifted(units.count(old.calls), units.count(new.calls)),
        as_role(_WORDS[shift.state], _ROLES[shift.state]),
    )
    details = [text for text in (_held(shift, directories),) if text]
    changed = [cause for cause in shift.causes if cause.state != "same"]
    if shift.state == "changed":
        details += [_cause(cause) for cause in changed[:_CAUSES]]
        more = len(changed) - _CAUSES
        details += [as_role(f"and {units.plural(more, 'more cause')}", "dim")] if more > 0 else []
    return TableRow(cells, tuple(details))


def _held(shift: FunctionShift, directories: tuple[str, str]) -> Text:
    """Where the function is, and what says that it is the same one, where its file does not."""
    if shift.match == "together":
        counts = f"{len(shift.before)} before and {len(shift.after)} after"
        return as_role(f"several functions have this name, {counts}; they are counted together", "dim")
    sides = ((shift.before, directories[0]), (shift.after, directories[1]))
    places = list(dict.fromkeys(_place(report, directory) for side, directory in sides for report in side))
    why = {"renamed-file": "the file was renamed", "moved": "moved to another file"}.get(shift.match)
    note = Span(f"  {why}; matched by its name" if why else "", "dim")
    return words(joined([as_role(place, "path") for place in places], " to "), note)


def _place(report: FunctionReport, directory: str) -> str:
    about = report.function
    return f"{paths.short(about.file, directory)}:{about.line}" if about.file else ""


def _cause(cause: CauseShift) -> Text:
    what = {"earlier": ("from before the recording", "from before the recording")}.get(cause.kind) or KINDS.get(
        cause.kind, (cause.kind, cause.kind)
    )
    name = words(f"{what[0]} ", Span(cause.path, "quoted")) if cause.path else words(what[1])
    return words(name, Span(": ", "dim"), _amount(cause.before), " ", ARROW, " ", _amount(cause.after))


def _amount(counts: Counts) -> Text:
    if not any(counts.work):
        return words("none")
    pieces = [
        units.plural(number, noun)
        for number, noun in (
            (counts.traces, "trace"),
            (counts.compiles, "compile"),
            (counts.persistent_cache_hits, "load"),
        )
        if number
    ]
    pieces = pieces or [units.plural(counts.specializations, "specialization")]
    return words(", ".join([*pieces, units.seconds(counts.seconds)]))


def shifts(comparison: Comparison, state: State) -> list[FindingShift]:
    """All findings of which this became."""
    return [each for shift in comparison.functions for each in shift.findings if each.state == state]


def findings(comparison: Comparison) -> list[Block]:
    """New findings first, then those that say something else now, then those that are gone."""
    states: tuple[State, ...] = ("new", "changed", "gone", "same")
    found = [(state, shift, each) for state in states for shift in comparison.functions for each in shift.findings
             if each.state == state]  # fmt: skip
    if not found:
        return []
    rows = [_finding(state, shift, each) for state, shift, each in found[:_FINDINGS]]
    more = len(found) - _FINDINGS
    note = as_role(f"and {units.plural(more, 'more finding')}" if more > 0 else "", "dim")
    columns = (Column(""), Column("finding"), Column("function"), Column("would save", "right"))
    return [Heading(words("Findings")), Table(columns, tuple(rows), note)]


def _finding(state: State, shift: FunctionShift, each: FindingShift) -> TableRow:
    known = each.after or each.before
    assert known is not None  # noqa: S101 - one of the two is there
    saves = [units.seconds(one.saves_s) if one and one.saves_s else "" for one in (each.before, each.after)]
    both = each.before is not None and each.after is not None and any(saves)
    amount = shifted(saves[0] or "0 s", saves[1] or "0 s") if both else words(*saves)
    subject = words(code_of(known), *((" of ", Span(each.path, "quoted")) if each.path else ()))
    details: Iterable[Text] = ()
    if state == "changed" and each.before and each.after:
        details = (
            words(Span("before: ", "dim"), prose(each.before.text)),
            words(Span("after: ", "dim"), prose(known.text)),
        )
    elif state == "new":
        details = (prose(known.text),)
    cells = (as_role(_WORDS[state], _ROLES[state]), subject, as_role(_name(shift.known), "name"), amount)
    return TableRow(cells, tuple(details))


def failures(comparison: Comparison) -> list[Block]:
    """Errors that are new, gone, or still there."""
    if not comparison.failures:
        return []
    order = {"new": 0, "same": 1, "gone": 2}
    directory = comparison.after.environment.directory
    rows = []
    for shift in sorted(comparison.failures, key=lambda shift: order[shift.state]):
        failure = shift.failure
        where = f"{paths.short(failure.file, directory)}:{failure.line}" if failure.file else ""
        role: Role = "bad" if shift.state == "new" else "good" if shift.state == "gone" else "warn"
        word = _WORDS[shift.state] if shift.state != "same" else "still there"
        cells = (as_role(word, role), as_role(failure.code, "name"), words(named(failure)), as_role(where, "path"))
        rows.append(TableRow(cells))
    columns = (Column(""), Column("error"), Column("function"), Column("line"))
    return [Heading(words("Errors while tracing")), Table(columns, tuple(rows))]
