"""Tracer errors: the source underlined, where the value came from, and the ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.compose.words import ARROW, LONG_NAME, as_role, cut, joined, listed, prose, words
from whyjit.present.document import (
    Block,
    Callout,
    Code,
    CodeLine,
    Column,
    Document,
    Heading,
    Listing,
    Mark,
    Paragraph,
    Span,
    Table,
    TableRow,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.failure import Failure, Given, Leak, Mismatch, Remedy, Step

_BRIEF_REMEDIES = 2
_GIVEN = 4


def failure(failure: Failure, *, directory: str = "") -> Document:
    """Everything known about one tracer error."""
    return Document(failure.error, tuple(blocks_of(failure, directory=directory, level=1)))


def blocks_of(failure: Failure, *, directory: str, level: int) -> list[Block]:
    """The blocks of one failure, below a heading of the given level."""
    blocks: list[Block] = [Heading(_title(failure, directory), level)]
    code = source_code(failure)
    blocks += [code] if code else []
    blocks.append(Paragraph(words(Span(failure.code, "bad", failure.code), ": ", prose(failure.text or failure.error))))
    blocks += _origin(failure, directory)
    blocks += _mismatches(failure.mismatches, directory)
    if failure.leak is not None:
        blocks += _leak(failure.leak, directory)
    if failure.nature != "unknown":
        evidence = f": {failure.nature_evidence}" if failure.nature_evidence else ""
        meant = "data of the program" if failure.nature == "data" else "configuration of the program"
        blocks.append(Paragraph(words("The value looks like ", Span(meant, "strong"), prose(evidence))))
    if failure.remedies:
        blocks.append(Heading(words("What to do"), level + 1))
        blocks.append(Listing(tuple(_remedy(remedy) for remedy in failure.remedies), ordered=True))
    blocks += [Paragraph(prose(note, "dim")) for note in failure.notes]
    return blocks


def brief(failure: Failure, directory: str) -> list[Block]:
    """One failure in a few lines: where, what, and the first ways out."""
    blocks: list[Block] = []
    arguments = joined((as_role(path, "quoted") for path in failure.arguments[:3]), ", ")
    comes = words("; it depends on ", arguments) if arguments else ()
    what = prose(failure.text) if failure.text else words(failure.error, comes)
    head = words(Span(failure.code, "bad", failure.code), " in ", _title(failure, directory, error=False), ": ", what)
    untold = [remedy for remedy in failure.remedies[:_BRIEF_REMEDIES] if remedy.text not in failure.text]
    remedies = [_remedy_line(remedy) for remedy in untold]
    code = source_code(failure, around=0)
    if code:
        blocks += [Callout("bad", head), code]
        blocks += [Paragraph(remedy, indent=1) for remedy in remedies]
    else:
        blocks.append(Callout("bad", head, tuple(remedies)))
    return blocks


def _title(failure: Failure, directory: str, *, error: bool = True) -> Text:
    where = f"{paths.short(failure.file, directory)}:{failure.line}" if failure.file else ""
    lead = words(Span(failure.error, "bad"), " in ") if error else ()
    name = Span(named(failure), "name")
    return words(lead, name, *((" (", Span(where, "path"), ")") if where else ()))


def named(failure: Failure) -> str:
    """The function a failure arose in."""
    return "the program" if failure.function in {"", "<module>"} else cut(failure.function, LONG_NAME)


def source_code(failure: Failure, *, around: int | None = None) -> Code | None:
    """The source with the failing expression underlined; `around` bounds the lines before and after it."""
    end = max(failure.end_line, failure.line)
    if not failure.source_lines:
        if not failure.expression:
            return None
        lines = failure.expression.splitlines()
        first = CodeLine(lines[0], failure.line or None, (Mark(0, len(lines[0]), "bad", under=True),))
        return Code((first, *(CodeLine(text) for text in lines[1:])))
    shown: list[CodeLine] = []
    for line in failure.source_lines:
        if around is not None and not failure.line - around <= line.number <= end + around:
            continue
        inside = failure.line <= line.number <= end
        shown.append(CodeLine(line.text, line.number, _under(failure, line.number, line.text, end) if inside else ()))
    return Code(tuple(shown)) if shown else None


def _under(failure: Failure, number: int, text: str, end: int) -> tuple[Mark, ...]:
    """What to underline in one line of the failing expression."""
    start = len(text) - len(text.lstrip())
    stop = len(text.rstrip())
    if number == failure.line and failure.columns is not None:
        start = failure.columns[0]
        stop = failure.columns[1] if end == failure.line else stop
    if number == end and end != failure.line and failure.end_column:
        stop = failure.end_column
    return (Mark(start, stop, "bad", under=True),) if stop > start else ()


def _origin(failure: Failure, directory: str) -> list[Block]:
    blocks: list[Block] = []
    types = [*failure.argument_types, *[""] * len(failure.arguments)]
    told = all(f"{path} ({kind})" in failure.text for path, kind in zip(failure.arguments, types, strict=False))
    if failure.arguments and not told:
        texts = [
            words(Span(path, "quoted"), f" ({kind})" if kind else "")
            for path, kind in zip(failure.arguments, types, strict=False)
        ]
        called = words(" of ", Span(failure.called, "quoted")) if failure.called else ()
        blocks.append(Paragraph(words("It depends on ", joined(texts), called, ".")))
    blocks += _given(failure)
    for inner in failure.inner_arguments:
        names = listed(inner.arguments, 4)
        via = f" (under {inner.transformation})" if inner.transformation else ""
        blocks.append(Paragraph(words(f"Within {inner.function}{via}: {names}.")))
    if failure.chain:
        left_out = failure.operations - len(failure.chain)
        more = f" ({units.plural(left_out, 'more operation')} left out)" if left_out > 0 else ""
        blocks.append(Paragraph(words(f"The way it came{more}:")))
        blocks.append(Listing(tuple(_step(step, directory) for step in failure.chain)))
    return blocks


def _given(failure: Failure) -> list[Block]:
    """What was passed, as far as the message does not tell it: those alike together."""
    alike: dict[str, list[Given]] = {}
    for one in failure.given:
        if one.text not in failure.text:
            alike.setdefault(one.text, []).append(one)
    blocks: list[Block] = []
    for text, given in alike.items():
        more = f" and {len(given) - _GIVEN} more" if len(given) > _GIVEN else ""
        paths = joined((as_role(one.path, "quoted") for one in given[:_GIVEN]), ", ")
        verb = " was " if len(given) == 1 else " each was "
        blocks.append(Paragraph(words(paths, more, verb, prose(text), ".")))
    return blocks


def _step(step: Step | None, directory: str) -> Text:
    if step is None:
        return words("not known")
    where = Span(f"{paths.short(step.file, directory)}:{step.line}" if step.file else "", "path")
    operation = Span(f" ({step.operation})" if step.operation else "", "dim")
    source = Span(step.source.strip() or step.operation, "quoted")
    return words(where, ": " if step.file else "", source, operation)


def _mismatches(mismatches: Sequence[Mismatch], directory: str) -> list[Block]:
    if not mismatches:
        return []
    columns = (
        Column("leaf"),
        Column("expected"),
        Column("found"),
        Column("difference", wrap=True),
        Column("made by", priority=1, wrap=True),
    )
    rows = [
        TableRow(
            (
                as_role(each.leaf, "name"),
                as_role(each.expected, "code"),
                as_role(each.found, "code"),
                as_role(each.difference, "plain"),
                _step(each.found_by, directory) if each.found_by else (),
            )
        )
        for each in mismatches
    ]
    return [Table(columns, tuple(rows))]


def _leak(leak: Leak, directory: str) -> list[Block]:
    items: list[Text] = [
        words("made while ", Span(leak.function or "a function", "name"), " was traced: ", _step(leak.made, directory))
    ]
    if leak.stored or leak.store:
        kept = words("kept in ", Span(leak.stored, "quoted")) if leak.stored else words("kept")
        items.append(words(kept, " by ", _step(leak.store, directory)) if leak.store else kept)
    return [Listing(tuple(items))]


def _remedy(remedy: Remedy) -> Text:
    cost = words(Span("; ", "dim"), prose(remedy.cost, "dim")) if remedy.cost else ()
    return words(Span(remedy.name, "strong"), ": ", Span(remedy.text, "quoted"), cost)


def _remedy_line(remedy: Remedy) -> Text:
    return words(ARROW, " ", Span(remedy.name, "strong"), ": ", Span(remedy.text, "quoted"))
