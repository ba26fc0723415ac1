"""Large tables as data: every distinct cell once, and rows of numbers that point to them.

The page makes rows of it as the reader scrolls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.present import units
from whyjit.present.clean import clean

if TYPE_CHECKING:
    from whyjit.present.document import Table, Text

Cell = str | list[list[str]]


class Pool:
    """The distinct cells of a page, and its tables' heads. A cell is a text, or a list of (role, text)."""

    def __init__(self) -> None:
        self.cells: list[Cell] = [""]
        self.columns: list[list[list[Any]]] = []
        self._numbers: dict[Any, int] = {(): 0}

    def add(self, text: Text) -> int:
        """The number of a cell."""
        key = tuple((span.role, span.text) for span in text)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.cells)
            self.cells.append(_cell(text))
        return number

    def head(self, columns: list[list[Any]]) -> int:
        """The number of a table's head."""
        key = "columns", *map(tuple, columns)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.columns)
            self.columns.append(columns)
        return number


def _cell(text: Text) -> Cell:
    if len(text) == 1 and text[0].role in {"plain", "number", "code", "path", "name"}:
        return clean(text[0].text)
    return [[span.role, "→" if span.role == "arrow" else clean(span.text)] for span in text]


def grid(table: Table, pool: Pool, label: str) -> dict[str, Any]:
    """A table as data: its columns that hold anything, its rows as numbers of cells, and which cells are marked."""
    filled = [at for at in range(len(table.columns)) if any(row.cells[at] for row in table.rows)]
    place_of = {at: place for place, at in enumerate(filled)}
    roles = [next((row.cells[at][0].role for row in table.rows if row.cells[at]), "plain") for at in filled]
    columns = [
        [clean(table.columns[at].title), table.columns[at].align, role, int(table.columns[at].wrap)]
        for at, role in zip(filled, roles, strict=True)
    ]
    return {
        "label": label,
        "total": units.count(len(table.rows)),
        "columns": pool.head(columns),
        "rows": [[pool.add(row.cells[at]) for at in filled] for row in table.rows],
        "changed": {
            str(number): [place_of[at] for at in row.changed if at in place_of]
            for number, row in enumerate(table.rows)
            if row.changed
        },
    }
