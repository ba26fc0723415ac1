"""Every specialization of one function: why it came to be, what it did to the program, what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.compose.heading import findings, function_heading, no_findings
from whyjit.present.compose.ranking import spent
from whyjit.present.compose.reasons import Pattern, brief_cause, change_texts, delta_text, patterns
from whyjit.present.compose.tracing import runs_once
from whyjit.present.compose.words import as_role, prose, stage_counts, words
from whyjit.present.document import Block, Column, Document, Heading, Paragraph, Span, Table, TableRow, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.finding import Explained, FunctionReport

_MANY = 12
_PATTERNS = 12

_EACH = (
    Column("number", "right"),
    Column("seconds", "right"),
    Column("calls", "right", priority=1),
    Column("called from", priority=2),
    Column("operation"),
    Column("cause", wrap=True),
)
_GROUPED = (
    Column("seconds", "right"),
    Column("how many", "right"),
    Column("numbers", priority=1),
    Column("cause", wrap=True),
)


def why(
    function: FunctionReport,
    *,
    directory: str = "",
    full: bool = False,
    trace: Sequence[Block] = (),
    inside_s: float = 0.0,
) -> Document:
    """The specializations one by one; when there are many, summed by cause unless `full` asks for each.

    `trace` is what there is to say of the slowest trace, after `compose.tracing`; `inside_s` is what `inside` tells.
    """
    everyone = function.specializations
    heading = function_heading(function, directory, inside_s=inside_s)
    blocks: list[Block] = [*heading, *findings(function), *no_findings(function)]
    if not everyone:
        blocks.append(Paragraph(words("No specialization of it was seen.")))
    elif full or len(everyone) <= _MANY:
        blocks.append(each_specialization(everyone, directory))
    else:
        blocks += by_cause(everyone, level=2)
        hint = f"{units.plural(len(everyone), 'specialization')} summed by cause; --all shows each"
        blocks.append(Paragraph(as_role(hint, "dim")))
    blocks += runs_once(function.function.once, directory)
    return Document(f"why {function.function.name}", (*blocks, *trace))


def each_specialization(everyone: Sequence[Explained], directory: str) -> Table:
    """A row for each specialization, with all its changes below it."""
    return Table(_EACH, tuple(_each(explained, directory) for explained in everyone))


def _each(explained: Explained, directory: str) -> TableRow:
    made = explained.specialization
    cells = (
        as_role(units.count(made.number), "number"),
        as_role(units.seconds(spent(made)), "number"),
        as_role(units.count(made.calls), "number"),
        as_role(paths.place(made.call_site, directory), "path"),
        as_role(made.operation, "name"),
        brief_cause(explained),
    )
    changes = explained.cause.changes
    details = change_texts(changes)
    if not changes and explained.cause.text and explained.cause.kind != "first":
        details.append(prose(explained.cause.text))
    details += _program(explained)
    return TableRow(cells, tuple(details))


def _program(explained: Explained) -> list[Text]:
    made = explained.specialization
    lines: list[Text] = []
    stages = stage_counts(made.stages)
    if explained.compared_with is not None:
        delta = delta_text(explained)
        against = Span(f"compared with {explained.compared_with}: ", "dim")
        lines.append(words(against, delta or as_role("programs not compared", "dim")))
    if stages:
        size = f"; {units.plural(made.fingerprint.equations, 'equation')}" if made.fingerprint else ""
        lines.append(as_role(stages + size, "dim"))
    elif not made.earlier:
        lines.append(as_role("neither traced, lowered nor compiled", "dim"))
    if made.error:
        lines.append(words(Span("ended with ", "dim"), Span(made.error, "bad")))
    return lines


def by_cause(everyone: Sequence[Explained], *, level: int) -> list[Block]:
    """Specializations summed by what changed and what that did to the program."""
    groups = patterns(everyone)
    rows = [_pattern(pattern) for pattern in groups[:_PATTERNS]]
    blocks: list[Block] = [Heading(words("By cause"), level), Table(_GROUPED, tuple(rows))]
    rest = groups[_PATTERNS:]
    if rest:
        lost = units.seconds(sum(pattern.cost for pattern in rest))
        blocks.append(Paragraph(as_role(f"and {units.plural(len(rest), 'more cause')} ({lost})", "dim")))
    return blocks


def _pattern(pattern: Pattern) -> TableRow:
    numbers = [member.specialization.number for member in pattern.members]
    span = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} ... {numbers[-1]}"
    cells = (
        as_role(units.seconds(pattern.cost), "number"),
        as_role(units.count(len(numbers)), "number"),
        as_role(span, "dim"),
        brief_cause(pattern.first),
    )
    details = [*pattern.changes(), delta_text(pattern.first)]
    return TableRow(cells, tuple(detail for detail in details if detail))
