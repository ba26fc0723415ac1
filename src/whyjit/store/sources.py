"""The digests of the user's source files, by which a later change of them is noticed.

They are written when a recording is finished, for files that have not been written to since it began: what those held
is what ran. They stand in `meta` under the key "sources"; a recording without them is from a process that was killed.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from whyjit.model.failure import Failure
from whyjit.model.recording import Environment
from whyjit.store.access import opened

_KEY = "sources"


def note(path: Path) -> None:
    """Write the digests of a finished recording's source files into it. Raises `StoreError` where it is none."""
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
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection, connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [_KEY, value])
    except sqlite3.Error:  # a full disk, a folder that can only be read: there are no digests then
        return


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
