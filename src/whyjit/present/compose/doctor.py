"""What whyjit can observe here, and the reason for each gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import units
from whyjit.present.compose.words import as_role, prose, words
from whyjit.present.document import Block, Callout, Column, Document, Table, TableRow

if TYPE_CHECKING:
    from collections.abc import Iterable

_COLUMNS = (Column(""), Column("what"), Column("evidence, or what is missing", wrap=True))


def doctor(rows: Iterable[tuple[str, bool, str]]) -> Document:
    """A row for each thing that can be observed: its name, whether it works here, and by what that is known."""
    each = list(rows)
    gaps = sum(1 for _, works, _ in each if not works)
    if gaps:
        head = Callout("warn", words(f"{units.plural(gaps, 'thing')} cannot be observed here; the rest can."))
    else:
        head = Callout("good", words("Everything can be observed here."))
    table = [
        TableRow(
            (as_role("yes" if works else "no", "good" if works else "bad"), as_role(what, "name"), prose(evidence))
        )
        for what, works, evidence in sorted(each, key=lambda row: row[1])
    ]
    blocks: list[Block] = [head, *([Table(_COLUMNS, tuple(table))] if table else [])]
    return Document("doctor", tuple(blocks))
