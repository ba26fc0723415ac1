"""Bringing files of older schemas up to date, one version at a time.

A recording is never changed where it lies: `access` migrates a copy. `STEPS[n]` turns a file of schema n into n + 1.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import msgspec

from whyjit.store.schema import SCHEMA_VERSION


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring an open file from the schema `version` to the one that this whyjit reads."""
    for step in range(version, SCHEMA_VERSION):
        connection.execute("BEGIN")
        STEPS[step](connection)
        connection.execute(f"PRAGMA user_version = {step + 1}")
        connection.execute("COMMIT")


def _to_2(connection: sqlite3.Connection) -> None:
    """Take nodes and leaves out of the bodies of specializations."""
    for statement in _TABLES_OF_2:
        connection.execute(statement)
    numbers: dict[str, dict[bytes, int]] = {"nodes": {}, "leaves": {}}
    old = connection.execute("SELECT function, number, body FROM specialization").fetchall()
    for column in ("nodes", "leaves", "outputs"):
        connection.execute(f"ALTER TABLE specialization ADD COLUMN {column} BLOB NOT NULL DEFAULT x'90'")
    for function, number, body in old:
        spec = msgspec.msgpack.decode(body)
        ids: dict[str, bytes] = {}
        for field, known in numbers.items():
            parts = [msgspec.msgpack.encode(part) for part in spec["signature"][field]]
            ids[field] = msgspec.msgpack.encode([known.setdefault(part, len(known) + 1) for part in parts])
            spec["signature"][field] = []
        connection.execute(
            "UPDATE specialization SET nodes = ?, leaves = ?, body = ? WHERE function = ? AND number = ?",
            [ids["nodes"], ids["leaves"], msgspec.msgpack.encode(spec), function, number],
        )
    for table, field in (("node", "nodes"), ("leaf", "leaves")):
        rows = [(number, part) for part, number in numbers[field].items()]
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)  # noqa: S608 - our own words


# As they were in schema 2: a later change of `schema.py` must not reach back.
_TABLES_OF_2 = (
    "CREATE TABLE node (id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
    "CREATE TABLE leaf (id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
    "ALTER TABLE failure ADD COLUMN uncaught INTEGER NOT NULL DEFAULT 0",
    "INSERT INTO meta VALUES ('parent', '0')",
)

STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _to_2}
