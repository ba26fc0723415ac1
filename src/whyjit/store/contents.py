"""What one file holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from whyjit.model.failure import Failure
from whyjit.model.program import Program
from whyjit.model.recording import Environment, Function, Gap, Recording, Row, Specialization, Stage, StaleRead
from whyjit.model.signature import Leaf, Node
from whyjit.model.source import Location
from whyjit.model.stages import one_by_one
from whyjit.store import programs
from whyjit.store.access import opened
from whyjit.store.schema import EVENTS

Value = TypeVar("Value")
_AT_ONCE = 500


def load(path: Path) -> Recording:
    """The recording in a file, without its ledger rows."""
    with opened(path) as connection:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        return Recording(
            environment=msgspec.json.decode(meta["environment"], type=Environment),
            gaps=tuple(Gap(*row) for row in connection.execute("SELECT what, reason FROM gap")),
            functions=_bodies(connection, "SELECT body FROM function ORDER BY id", Function),
            specializations=_specializations(connection),
            failures=_bodies(connection, "SELECT body FROM failure ORDER BY id", Failure),
            stale=_bodies(connection, "SELECT body FROM stale ORDER BY function, specialization, path", StaleRead),
            seconds=float(meta["seconds"]),
            unattributed=_bodies(connection, "SELECT body FROM unattributed ORDER BY id", Stage),
            complete=meta["complete"] == "1",
        )


def rows(path: Path, function: int) -> Iterator[Row]:
    """The ledger rows of one function of a file, in their order."""
    with opened(path) as connection:
        yield from _rows(connection, "function = ? ORDER BY position", [function])


def all_rows(path: Path) -> Iterator[Row]:
    """All ledger rows of a file, in their order."""
    with opened(path) as connection:
        yield from _rows(connection, "TRUE ORDER BY position", [])


def rows_at(path: Path, positions: Sequence[int]) -> Iterator[Row]:
    """The ledger rows at some positions of a file; those of one function have one order in time."""
    with opened(path) as connection:
        for start in range(0, len(positions), _AT_ONCE):
            some = positions[start : start + _AT_ONCE]
            yield from _rows(connection, f"position IN ({','.join('?' * len(some))})", some)


def ledger(path: Path) -> Iterator[tuple[int, int, int, float]]:
    """All ledger rows of a file in brief, in their order: position, function, number of equal calls, moment."""
    with opened(path) as connection:
        yield from connection.execute("SELECT position, function, count, moment FROM ledger ORDER BY position")


def _rows(connection: sqlite3.Connection, which: str, values: Sequence[int]) -> Iterator[Row]:
    sites = {
        number: Location(file, line, name)
        for number, file, line, name in connection.execute("SELECT id, file, line, function FROM call_site")
    }
    columns = "position, function, specialization, event, call_site, count, moment, traces, compiles, nested"
    found = connection.execute(f"SELECT {columns} FROM ledger WHERE {which}", values)  # noqa: S608 - our own words
    for order, function, number, event, site, count, moment, traces, compiles, nested in found:
        yield Row(
            order, function, number, EVENTS[int(event)], sites[site], count, moment, traces, compiles, bool(nested)
        )


def program(path: Path, key: str) -> Program | None:
    """A staged program of a file by its key, where it was kept."""
    with opened(path) as connection:
        found = connection.execute("SELECT body FROM program WHERE key = ?", [key]).fetchone()
        return programs.decode(found[0]) if found else None


def uncaught(path: Path) -> Failure | None:
    """The failure that ended the program, if one did and it was understood."""
    with opened(path) as connection:
        found = _bodies(connection, "SELECT body FROM failure WHERE uncaught ORDER BY id", Failure)
        return found[-1] if found else None


class Heading(NamedTuple):
    """What a file says of itself in short."""

    path: Path
    parent: int
    started: float
    functions: int
    process: int


def heading(path: Path) -> Heading:
    """Which process a file is of, and whether it saw anything."""
    with opened(path) as connection:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        functions = connection.execute("SELECT count(*) FROM function").fetchone()[0]
        process = msgspec.json.decode(meta["environment"], type=Environment).process_index
        return Heading(path, int(meta["parent"]), float(meta["started"]), functions, process)


def _bodies(connection: sqlite3.Connection, query: str, kind: type[Value]) -> tuple[Value, ...]:
    decoder = msgspec.msgpack.Decoder(kind)
    return tuple(decoder.decode(body) for (body,) in connection.execute(query))


def _specializations(connection: sqlite3.Connection) -> tuple[Specialization, ...]:
    leaves = _numbered(connection, "leaf", Leaf)
    nodes = _numbered(connection, "node", Node)
    ids = msgspec.msgpack.Decoder(list[int])
    decode = msgspec.msgpack.Decoder(Specialization).decode
    replace = msgspec.structs.replace
    # Equal parts become one object: less memory, and comparing them costs nothing.
    shared: dict[object, object] = {}

    def share(part: Value) -> Value:
        return shared.setdefault(part, part)  # type: ignore[return-value]

    def whole(
        body: bytes, in_nodes: bytes, in_leaves: bytes, outputs: bytes, calls: int, nested: int, misses: int
    ) -> Specialization:
        spec = decode(body)
        signature = replace(
            spec.signature,
            form=share(spec.signature.form),
            nodes=tuple(nodes[number] for number in ids.decode(in_nodes)),
            leaves=tuple(leaves[number] for number in ids.decode(in_leaves)),
            context=share(spec.signature.context),
            options=share(spec.signature.options),
        )
        apart = one_by_one(spec)
        return replace(
            apart,
            signature=signature,
            outputs=tuple(leaves[number] for number in ids.decode(outputs)),
            calls=calls,
            nested_calls=nested,
            misses=misses,
        )

    found = connection.execute(
        "SELECT body, nodes, leaves, outputs, calls, nested_calls, misses "
        "FROM specialization JOIN tally USING (function, number) ORDER BY function, number"
    )
    return tuple(whole(*row) for row in found)


def _numbered(connection: sqlite3.Connection, table: str, kind: type[Value]) -> dict[int, Value]:
    decoder = msgspec.msgpack.Decoder(kind)
    found = connection.execute(f"SELECT id, body FROM {table}")  # noqa: S608 - our own words
    return {number: decoder.decode(body) for number, body in found}
