"""A controlled experiment: the verdicts first, then the arms they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.compose.failures import brief
from whyjit.present.compose.words import BRIEF_DELTAS, as_role, cut, listed, words
from whyjit.present.document import (
    Block,
    Callout,
    Column,
    Document,
    Heading,
    KeyValues,
    Listing,
    Paragraph,
    Role,
    Span,
    Table,
    TableRow,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.probe import ArmError, Probe, Result, Sizes, Verdict

# How people call the kinds of factors, in the order in which verdicts are shown.
KINDS = {
    "control": "control",
    "values": "array contents",
    "static": "static",
    "static_identity": "static identity",
    "given": "given value",
    "call_form": "call form",
    "structure": "structure",
    "shape": "shape",
    "dtype": "element type",
    "weak_type": "weak type",
    "transform": "transformation",
}
_ROLES: dict[str, Role] = {
    "decides the program": "strong",
    "retraces but decides nothing": "bad",
    "only a literal": "warn",
    "only sizes": "plain",
    "only types": "plain",
    "ignored": "good",
    "not allowed": "plain",
    "unknown": "dim",
}
_WHY = 160
_KINDS = {
    "jitted": "as it is jitted in the program",
    "wrapped": "as it is wrapped in the program",
    "plain": "jitted by whyjit",
}


def probe(probe: Probe, *, directory: str = "") -> Document:
    """The whole experiment."""
    where = f"{paths.short(probe.file, directory)}:{probe.line}" if probe.file else ""
    title = words("probe of ", Span(probe.function, "name"), *((" (", Span(where, "path"), ")") if where else ()))
    how = _KINDS.get(probe.kind, probe.kind)
    if probe.made_static:
        how += f", with {', '.join(probe.made_static)} static, which JAX would not take as data"
    blocks: list[Block] = [Heading(title, 1), Paragraph(words(Span(f"{how}; the call:", "dim")))]
    if probe.call:
        blocks.append(
            KeyValues(tuple((as_role(name, "name"), as_role(cut(text), "code")) for name, text in probe.call))
        )
    blocks += _control(probe, directory)
    if probe.verdicts:
        blocks += [Heading(words("What decides the program")), _verdicts(probe.verdicts)]
    blocks += [Heading(words("The arms")), _arms(probe.results)]
    if probe.sizes:
        blocks += [Heading(words("Several sizes of an axis")), _sizes(probe.sizes)]
    if probe.left_out:
        blocks += [Heading(words("Not tried")), Listing(tuple(words(text) for text in probe.left_out))]
    count = len(probe.results) + len(probe.sizes)
    each = "each in a process of its own" if count != 1 else "in a process of its own"
    done = f"{units.plural(count, 'experiment')}, {each}, in {units.seconds(probe.seconds)}"
    blocks.append(Paragraph(words(Span(done, "dim"))))
    return Document(f"probe of {probe.function}", tuple(blocks))


def _control(probe: Probe, directory: str) -> list[Block]:
    """What is wrong with the call itself, if anything is: everything else is to be read in that light."""
    control = next((result for result in probe.results if result.factor.kind == "control"), None)
    if control is None:
        return []
    if control.error is not None:
        lead = words("The call itself fails, so there is nothing to compare with. ")
        if control.error.failure is not None and control.error.failure.file:
            return [Callout("bad", lead), *brief(control.error.failure, directory)]
        return [Callout("bad", words(lead, _error(control.error, directory)))]
    if control.traced:
        return [Callout("bad", words("The same call again is traced again: no arm can be told from it."))]
    return []


def _verdicts(verdicts: Sequence[Verdict]) -> Table:
    """One row for each factor; axes and types that say the same are told together."""
    order = list(KINDS)
    together: dict[tuple[str, str, str], list[str]] = {}
    for verdict in sorted(verdicts, key=lambda one: order.index(one.kind) if one.kind in order else len(order)):
        together.setdefault((verdict.kind, verdict.verdict, verdict.why), []).append(verdict.path or "")
    rows = [
        TableRow(
            (
                words(KINDS.get(kind, kind)),
                as_role("; ".join(_axes(path) for path in paths if path), "name"),
                as_role(verdict, _ROLES[verdict]),
                as_role(cut(why, _WHY), "dim"),
            )
        )
        for (kind, verdict, why), paths in together.items()
    ]
    columns = (Column("factor"), Column("of", wrap=True), Column("verdict"), Column("because", priority=1, wrap=True))
    return Table(columns, tuple(rows))


def _arms(results: Sequence[Result]) -> Table:
    columns = (
        Column("factor"),
        Column("of", wrap=True),
        Column("changed", wrap=True),
        Column("traced"),
        Column("compiled"),
        Column("program", wrap=True),
        Column("equations", "right", priority=2),
        Column("time", "right", priority=3),
    )
    return Table(columns, tuple(map(_arm, results)))


def _arm(result: Result) -> TableRow:
    factor = result.factor
    changed = words(cut(factor.old, 60), " ", Span("->", "arrow"), " ", cut(factor.new, 60)) if factor.old else ()
    guess = words(Span(" (a guess)", "dim")) if factor.guess else ()
    return TableRow(
        (
            words(KINDS.get(factor.kind, factor.kind)),
            as_role(_axes(factor.path or ""), "name"),
            words(changed or factor.new, guess),
            _yes(result.traced),
            _yes(result.compiled),
            _program(result),
            as_role(_equations(result), "number"),
            as_role(units.seconds(result.seconds), "number"),
        ),
        () if result.error is None else (words(Span(cut(result.error.message, _WHY), "dim")),),
    )


def _axes(path: str) -> str:
    """Axes that change together, the first few of them."""
    return listed(path.split(", "), 4)


def _yes(value: bool | None) -> Text:
    return () if value is None else words(Span("yes", "warn") if value else Span("no", "dim"))


def _program(result: Result) -> Text:
    if result.error is not None:
        return words(Span("fails", "bad"))
    if result.delta is None:
        return words(Span(result.note or ("" if result.traced else "the body is not run again"), "dim"))
    if not result.traced:
        return words("as before")
    note = f" ({result.note})" if result.note else ""
    return words(BRIEF_DELTAS[result.delta], Span(note, "dim"))


def _equations(result: Result) -> str:
    if result.equations is None:
        return ""
    changes = [f"+{result.added}" if result.added else "", f"-{result.removed}" if result.removed else ""]
    return " ".join([str(result.equations), *filter(None, changes)])


def _error(error: ArmError, directory: str) -> Text:
    where = f" ({paths.short(error.file, directory)}:{error.line})" if error.file else ""
    return words(cut(error.message, _WHY), Span(where, "path"))


def _sizes(sizes: Sequence[Sizes]) -> Table:
    columns = (
        Column("axis", wrap=True),
        Column("tried"),
        Column("program", wrap=True),
        Column("symbolic export", wrap=True),
    )
    return Table(columns, tuple(map(_size, sizes)), words(Span(_CAUTION, "dim")))


_CAUTION = (
    "Sizes that were not tried may decide the program all the same. A symbolic export is no proof: where a program "
    "compares a symbolic size with a number, JAX answers without a word."
)


def _size(sizes: Sizes) -> TableRow:
    parts: list[Text] = []
    if sizes.different:
        parts.append(words(Span("another program", "warn"), f" at {_numbers(sizes.different)}"))
    if sizes.failed:
        size, reason = sizes.failed[0]
        parts.append(words(f"fails at {_numbers([size for size, _ in sizes.failed])} ({size}: {cut(reason, 80)})"))
    if any(size != sizes.base for size in sizes.same):
        but = "sizes and literal values" if sizes.note else "sizes"
        where = f"at {_numbers(sizes.same)}" if parts else "at every size tried"
        parts.append(words(Span(f"one program but for {but}, {where}", "plain" if parts or sizes.note else "good")))
    if not sizes.same and not sizes.failed:
        parts.append(words("the programs could not be compared"))
    text: list[str | Span | Text] = []
    for part in parts:
        text += ["; ", part] if text else [part]
    return TableRow(
        (
            as_role(_axes(sizes.path), "name"),
            words(listed([str(size) for size in sorted(sizes.tried)], 9)),
            words(*text),
            _export(sizes),
        )
    )


def _numbers(sizes: Sequence[int]) -> str:
    return ", ".join(str(size) for size in sorted(sizes))


def _export(sizes: Sizes) -> Text:
    if sizes.export is None:
        return words(Span("not tried", "dim"))
    return words("works") if sizes.export == "" else words("fails: ", Span(cut(sizes.export, 100), "dim"))
