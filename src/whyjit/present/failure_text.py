"""A failure as plain text, for people: the expression, what was asked of it, where it came from, and the ways out."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from whyjit.model.source import Location
from whyjit.present.clean import clean
from whyjit.present.paths import place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.model.failure import Failure, Leak, Mismatch, Step

_WIDTH = 100
_GIVEN = 4
_INDENT = 4


def render(failure: Failure, directory: str = "") -> str:
    """The failure as text; paths are relative to `directory`."""
    parts = [
        [_head(failure, directory)],
        list(_source(failure)),
        list(_facts(failure, directory)),
        list(_remedies(failure)),
        list(_notes(failure)),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _head(failure: Failure, directory: str) -> str:
    where = place(Location(failure.file, failure.line), directory)
    function = f" in {clean(failure.function)}" if failure.function else ""
    return f"{failure.code}: {failure.error}{function}{f', {where}' if where else ''}"


def _source(failure: Failure) -> Iterator[str]:
    width = max((len(str(line.number)) for line in failure.source_lines), default=1)
    for line in failure.source_lines:
        text = clean(line.text.expandtabs(4) if "\t" in line.text else line.text)
        yield f"  {line.number:>{width}} | {text}".rstrip()
        mark = _mark(failure, line.number, line.text)
        if mark:
            yield f"  {'':>{width}} | {mark}"


def _mark(failure: Failure, number: int, text: str) -> str:
    if failure.columns is None or not failure.line <= number <= failure.end_line:
        return ""
    start = failure.columns[0] if number == failure.line else len(text) - len(text.lstrip())
    end = failure.end_column if number == failure.end_line else len(text.rstrip())
    before = text[:start].expandtabs(4)
    return " " * _columns(before) + "^" * max(1, _columns(text[start:end]))


def _columns(text: str) -> int:
    """The width of a text on a terminal: characters of East Asian scripts take two columns."""
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in clean(text))


def _facts(failure: Failure, directory: str) -> Iterator[str]:
    yield from _fact("asked for", failure.asked)
    if failure.leak is not None:
        yield from _leak(failure.leak, directory)
    for one in failure.mismatches:
        yield from _mismatch(one, directory)
    if failure.arguments:
        pairs = zip(failure.arguments, failure.argument_types, strict=False)
        named = ", ".join(f"{path} ({kind})" if kind else path for path, kind in pairs)
        plural = "arguments" if len(failure.arguments) > 1 else "argument"
        owner = f", {plural} of {failure.called}" if failure.called else ""
        yield from _fact("comes from", f"{named}{owner}")
    yield from _given(failure)
    for inner in failure.inner_arguments:
        yield from _fact("through", f"{', '.join(inner.arguments)} of {inner.function} ({inner.transformation})")
    yield from _chain(failure, directory)
    if failure.nature_evidence:
        nature = {"unknown": "data or configuration"}.get(failure.nature, failure.nature)
        yield from _fact("it is", f"{nature}: {failure.nature_evidence}")


def _given(failure: Failure) -> Iterator[str]:
    """What was passed: each scalar of Python's, and arrays together."""
    by_text: dict[str, list[str]] = {}
    for one in failure.given:
        by_text.setdefault(one.text, []).append(clean(one.path))
    for at, (text, paths) in enumerate(by_text.items()):
        shown = paths if len(paths) <= _GIVEN else [*paths[: _GIVEN - 1], f"{len(paths) - _GIVEN + 1} more"]
        yield from _fact("given as" if at == 0 else "", f"{', '.join(shown)}: {text}")


def _fact(name: str, text: str) -> Iterator[str]:
    if not text:
        return
    first = f"  {name:<11} "
    yield from textwrap.wrap(
        clean(text),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _chain(failure: Failure, directory: str) -> Iterator[str]:
    shown = list(failure.chain)
    left_out = 0
    if len(shown) > 8:
        left_out = len(shown) - 8
        shown = [*shown[:4], *shown[-4:]]
    for at, step in enumerate(shown):
        if left_out and at == 4:
            more = max(left_out, failure.operations - len(shown))
            yield f"              ... {more} more ..."
        yield f"  {'by way of' if at == 0 else '':<11} {_step(step, failure, directory)}"


def _step(step: Step, failure: Failure, directory: str) -> str:
    where = f"line {step.line}" if step.file == failure.file else place(Location(step.file, step.line), directory)
    operation = f"  ({step.operation})" if step.operation else ""
    return clean(f"{step.source or '?'}  {where}{operation}")


def _leak(leak: Leak, directory: str) -> Iterator[str]:
    if leak.function:
        yield from _fact("leaked from", f"the trace of {leak.function}")
    if leak.made is not None:
        yield from _fact(
            "made by",
            f"{leak.made.source or leak.made.operation}  {place(Location(leak.made.file, leak.made.line), directory)}",
        )
    if leak.store is not None:
        where = place(Location(leak.store.file, leak.store.line), directory)
        yield from _fact("kept in", f"{leak.stored}, by {leak.store.source}  {where}")


def _mismatch(one: Mismatch, directory: str) -> Iterator[str]:
    yield from _fact("leaf", one.leaf)
    for name, kind, step in (("is", one.expected, one.expected_by), ("becomes", one.found, one.found_by)):
        made = f", by {step.source}  {place(Location(step.file, step.line), directory)}" if step is not None else ""
        yield from _fact(name, f"{kind}{made}")


def _remedies(failure: Failure) -> Iterator[str]:
    if failure.remedies:
        yield "What to do:"
    for number, remedy in enumerate(failure.remedies, 1):
        yield f"  {number}. {clean(remedy.name)}: {clean(remedy.text)}"
        yield from textwrap.wrap(
            f"cost: {clean(remedy.cost)}", _WIDTH, initial_indent=" " * 5, subsequent_indent=" " * 11
        )


def _notes(failure: Failure) -> Iterator[str]:
    for note in failure.notes:
        yield from textwrap.wrap(f"note: {clean(note)}", _WIDTH, subsequent_indent=" " * 6)
