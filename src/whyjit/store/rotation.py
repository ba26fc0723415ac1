"""The ledger's rows in a file that must not grow for ever: the first and the newest stay, those between make room.

SQLite uses the room of what was deleted again, so that a file is never much larger than its rows at their most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from whyjit.model.recording import Row

_FIRST = 10  # one part of so many is for the first rows: a program's beginning is where most is traced
_SLACK = 10  # one part more than allowed may pile up before rows are dropped, so that this is done seldom
_GAP = "rows"


class Rows:
    """Counts the rows of one file, and drops what is too many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._first = 0
        self._newest: dict[int, int] = {}
        self._dropped = 0
        self._calls = 0

    def written(self, connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
        """Rows were written. A function's newest row may have been there before, with fewer calls."""
        for row in rows:
            if row.order > self._newest.get(row.function, 0):
                self._newest[row.function] = row.order
                self._count += 1
                if self._count <= self._most // _FIRST:
                    self._first = max(self._first, row.order)
        if self._count > self._most + self._most // _SLACK:
            self._drop(connection)

    def _drop(self, connection: sqlite3.Connection) -> None:
        newest = self._most - self._most // _FIRST
        found = connection.execute(
            "SELECT position FROM ledger ORDER BY position DESC LIMIT 1 OFFSET ?", [newest]
        ).fetchone()
        if found is None:
            return
        span = [self._first, found[0]]
        calls = connection.execute(
            "SELECT sum(count) FROM ledger WHERE position > ? AND position <= ?", span
        ).fetchone()
        dropped = connection.execute("DELETE FROM ledger WHERE position > ? AND position <= ?", span).rowcount
        self._count -= dropped
        self._dropped += dropped
        self._calls += calls[0] or 0
        reason = (
            f"{self._dropped:,} rows ({self._calls:,} calls) between the first and the newest were dropped, to keep"
            f" {self._most:,} (setting max_rows); all calls are counted"
        )
        connection.execute("DELETE FROM gap WHERE what = ?", [_GAP])
        connection.execute("INSERT INTO gap (what, reason) VALUES (?, ?)", [_GAP, reason])
