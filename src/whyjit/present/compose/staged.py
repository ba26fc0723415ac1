"""A program at a later stage than the recorded one, and what XLA says it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import units
from whyjit.present.compose.words import as_role, words
from whyjit.present.document import Block, Column, Document, Heading, Paragraph, Span, Table, TableRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_NAMES = {"jaxpr": "jaxpr", "stablehlo": "StableHLO", "hlo": "HLO after XLA's passes"}
_COLUMNS = (Column("what"), Column("before XLA's passes", "right"), Column("after them", "right"))
_BYTES = {
    "argument_size_in_bytes": "arguments",
    "output_size_in_bytes": "outputs",
    "temp_size_in_bytes": "temporary",
    "generated_code_size_in_bytes": "code",
}


def staged(
    *,
    title: str,
    stage: str,
    lowered: Sequence[tuple[str, float]] = (),
    compiled: Sequence[tuple[str, float]] = (),
    memory: Sequence[tuple[str, int]] = (),
    cost: bool = False,
    notes: Iterable[str] = (),
) -> Document:
    """The heading of a program's text, with its cost where it was asked for. The text itself is printed as it is."""
    blocks: list[Block] = [
        Heading(words(Span(title, "name"), Span(f"  {_NAMES[stage]}" if not cost else "  cost", "dim")), 1),
        *(Paragraph(as_role(note, "dim")) for note in notes),
    ]
    if lowered or compiled:
        blocks.append(_costs(dict(lowered), dict(compiled)))
    if memory:
        rows = [
            TableRow((as_role(_BYTES.get(name, name), "plain"), as_role(units.nbytes(size), "number")))
            for name, size in memory
        ]
        blocks.append(Table((Column("memory of the executable"), Column("bytes", "right")), tuple(rows)))
    return Document(title, tuple(blocks))


def _costs(before: Mapping[str, float], after: Mapping[str, float]) -> Table:
    rows = [
        TableRow((as_role(name, "plain"), *(as_role(_amount(name, side), "number") for side in (before, after))))
        for name in sorted(before.keys() | after.keys())
    ]
    return Table(_COLUMNS, tuple(rows), as_role("XLA's own estimates, which it makes no promise about", "dim"))


def _amount(name: str, costs: Mapping[str, float]) -> str:
    value = costs.get(name)
    if value is None:
        return ""
    return (
        units.nbytes(int(value))
        if "bytes" in name
        else units.count(int(value))
        if value == int(value)
        else f"{value:g}"
    )
