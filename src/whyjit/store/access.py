"""Opening a recording to read it: nothing is written beside it, and none of SQLite's errors reaches the caller.

A finished recording is one plain file, read as it stands. While the process lives, and after it was killed, the newest
part is in a write-ahead log beside the file. SQLite can only read that with files of its own in the same folder,
so both are copied to a temporary folder first; so is a file of an older schema, which is migrated there.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Generator
from pathlib import Path

import msgspec

from whyjit.store.errors import StoreError
from whyjit.store.migrations import migrate
from whyjit.store.schema import APPLICATION_ID, SCHEMA_VERSION

# Whatever a few wrong bytes can set off, in SQLite or in what is decoded from it.
_DAMAGE = (
    sqlite3.Error,
    sqlite3.Warning,
    msgspec.MsgspecError,
    zlib.error,
    LookupError,
    ValueError,
    TypeError,
    OverflowError,
    RecursionError,
)
_PATIENCE_S = 60.0


@contextlib.contextmanager
def opened(path: Path) -> Generator[sqlite3.Connection]:
    """A connection to read a recording with. Every fault of the file leaves as a `StoreError`."""
    try:
        with contextlib.ExitStack() as stack:
            yield _open(path, stack)
    except OSError as fault:
        raise StoreError(f"cannot read {path}: {fault.strerror or fault}") from fault
    except _DAMAGE as fault:
        raise StoreError(f"{path} is damaged and cannot be read ({fault}); record the program again") from fault


def _open(path: Path, stack: contextlib.ExitStack) -> sqlite3.Connection:
    log = path.with_name(path.name + "-wal")
    logged = log.exists() and log.stat().st_size > 0
    version = _check_header(path, whole=not logged)
    if logged or version < SCHEMA_VERSION:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="whyjit-")))
        path, mode = _copy(path, log, folder), "mode=rw"
    else:
        mode = "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)
    stack.enter_context(contextlib.closing(connection))
    migrate(connection, version)
    return connection


def _check_header(path: Path, *, whole: bool) -> int:
    """The schema's version, read from the file's first bytes. Raises for what is no recording, too new, or cut off."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        raise StoreError(f"{path} is empty; record the program again")
    if not b"SQLite format 3\0".startswith(header[:16]):
        raise StoreError(f"{path} is not a recording of whyjit; name the folder of a run, or a file in it")
    if len(header) < 100:
        raise StoreError(f"{path} is cut off after {len(header)} bytes; record the program again")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program, not a recording of whyjit")
    version = int.from_bytes(header[60:64], "big")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was recorded by a newer whyjit (its schema is {version}, this whyjit reads up to "
            f"{SCHEMA_VERSION}); upgrade with: pip install --upgrade whyjit"
        )
    page = int.from_bytes(header[16:18], "big")
    due = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
    size = path.stat().st_size
    if whole and size < due:
        raise StoreError(f"{path} is cut off: {size:,} of {due:,} bytes are there; record the program again")
    return version


def _copy(path: Path, log: Path, folder: Path) -> Path:
    """Copy the file and its log as they are at one moment, for a living process may be moving pages between them.

    Until it begins anew, a log only grows, and a part of it is whole; what must not change meanwhile is the file. Where
    the log began anew while it was read, its older part would undo pages that the file has in their last state.
    """
    copy = folder / path.name
    copied_log = copy.with_name(log.name)
    ends = time.monotonic() + _PATIENCE_S
    while True:
        before = path.stat()
        shutil.copyfile(path, copy)
        try:
            shutil.copyfile(log, copied_log)
        except FileNotFoundError:  # the process has just ended, or there was none
            copied_log.unlink(missing_ok=True)
        same_log = _head(copied_log) == _head(log)
        after = path.stat()
        # A file changed within the clock's last tick could change again unnoticed.
        same_file = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
        if same_log and same_file and _settled(after.st_mtime):
            return copy
        if time.monotonic() > ends:
            raise StoreError(
                f"{path} was written to all the time while it was read; try again, or when its process ended"
            )
        time.sleep(0.05)


def _head(log: Path) -> bytes:
    """What is another one each time a log begins anew; empty where there is none."""
    try:
        with log.open("rb") as file:
            return file.read(32)
    except FileNotFoundError:
        return b""


def _settled(changed: float) -> bool:
    return not 0 <= time.time() - changed < 0.02
