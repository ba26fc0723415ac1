"""The digests of the user's source files, by which a later change of them is noticed.

They are written when a recording is finished, for files that have not been written to since it began: what those held
is what ran. They stand in `meta` under the key "sources"; a recording without them is from a process that was killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from pathlib import Path

import msgspec

from whyjit.model.failure import Failure
from whyjit.model.recording import Environment
from whyjit.store.access import opened
from whyjit.store.errors import StoreError

_KEY = "sources"


def note(path: Path) -> None:
    """Write the digests of a finished recording's source files into it; where that cannot be done, there are none.

    It never raises: it is called at the end of the user's program.
    """
    with contextlib.suppress(StoreError, sqlite3.Error):
        _note(path)


def _note(path: Path) -> None:
    with opened(path) as connection:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        if meta["complete"] != "1":
            return
        names = {name for (name,) in connection.execute("SELECT DISTINCT file FROM function WHERE origin = 'user'")}
        decode = msgspec.msgpack.Decoder(Failure).decode
        names |= {decode(body).file for (body,) in connection.execute("SELECT body FROM failure")}
    environment = msgspec.json.decode(meta["environment"], type=Environment)
    found = {name: digest for name in names if (digest := _digest(name, environment))}
    value = msgspec.json.encode(dict(sorted(found.items()))).decode()
    address = f"{path.absolute().as_uri()}?mode=rw"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as writable, writable:
        writable.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [_KEY, value])


def read(path: Path) -> dict[str, str]:
    """The SHA-256 of each source file, by its name as Python knew it; those that are not known are not there."""
    with opened(path) as connection:
        found = connection.execute("SELECT value FROM meta WHERE key = ?", [_KEY]).fetchone()
    return msgspec.json.decode(found[0], type=dict[str, str]) if found else {}


def _digest(name: str, environment: Environment) -> str:
    file = Path(environment.directory) / name
    try:
        if not name or file.stat().st_mtime > environment.started:
            return ""
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except (OSError, ValueError):
        return ""
