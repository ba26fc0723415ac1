"""Batches of an observer into a file.

The promise: a process killed at any moment leaves a readable file that lacks at most what came after the last batch.
Each batch is one transaction in SQLite's write-ahead log; a kill cannot undo what the operating system has taken.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Generator
from importlib import metadata
from pathlib import Path

from whyjit.model.batch import Batch
from whyjit.model.bounds import USUAL
from whyjit.model.failure import Failure
from whyjit.model.recording import Environment
from whyjit.store.batches import BatchWriter
from whyjit.store.creating import create
from whyjit.store.encoding import json_text, packed
from whyjit.store.errors import StoreError

# What the write-ahead log is cut back to after a transaction that was large.
_LOG_BYTES = 16_000_000


class Writer:
    """Writes one process's recording. It may be used from several threads; a forked child needs one of its own."""

    def __init__(self, path: Path, rows: int = USUAL.rows) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._batches = BatchWriter(rows)
        self._closed = False
        _writers.add(self)

    @classmethod
    def create(cls, folder: Path, environment: Environment, *, parent: int = 0, rows: int = USUAL.rows) -> Writer:
        """Start a new file `<folder>/<pid>-<n>.whyjit`. `parent` is the process that started this one, if recorded.

        At most `rows` rows of the ledger are kept in it.
        """
        meta = {
            "format": "whyjit",
            "whyjit": _version(),
            "argv": json_text(environment.argv),
            "started": repr(environment.started),
            "environment": json_text(environment),
            "parent": str(parent),
            "seconds": "0.0",
            "complete": "",
        }
        return cls(create(folder, environment.pid, meta), rows)

    def write(self, batch: Batch) -> None:
        """Store a batch, whole or not at all. Raises `StoreError` when the disk refuses it, or after `close`."""
        with self._transaction() as connection:
            self._batches.write(connection, batch)

    def mark_uncaught(self, failure: Failure) -> None:
        """Note that this failure ended the program; it is added unless a batch brought it before."""
        body = packed(failure)
        with self._transaction() as connection:
            found = connection.execute("UPDATE failure SET uncaught = 1 WHERE body = ?", [body]).rowcount
            if not found:
                connection.execute("INSERT INTO failure (uncaught, body) VALUES (1, ?)", [body])

    def close(self) -> None:
        """Leave one plain file, which needs no write-ahead log any more."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            if not self._closed:
                self._closed = True
                self._open().execute("PRAGMA journal_mode = DELETE")
            self._disconnect()

    def before_fork(self) -> None:
        """Stand still: a connection that is open in a fork corrupts the file from the child."""
        self._lock.acquire()
        self._disconnect()

    def after_fork(self) -> None:
        """Go on in the process that has forked."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Write nothing any more: the file is the parent's."""
        self._closed = True
        self._lock.release()

    @contextlib.contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            if self._closed:
                raise StoreError(f"cannot write to {self.path}: it is closed; start another recording")
            try:
                connection = self._open()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                    self._batches.committed()
                except BaseException:
                    # SQLite has rolled back already after some faults, a full disk among them.
                    with contextlib.suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as fault:
                raise StoreError(f"cannot write to {self.path}: {fault}") from fault

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            # "rw" does not make the file again where somebody has deleted the run while it goes on.
            connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, check_same_thread=False
            )
            # Nobody else may write, so the log needs no memory shared between processes, which network disks lack.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
            self._connection = connection
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _version() -> str:
    try:
        return metadata.version("whyjit")
    except metadata.PackageNotFoundError:  # run from a source tree
        return ""


# Every writer in use, and those that a fork has stopped for its moment.
_writers: weakref.WeakSet[Writer] = weakref.WeakSet()
_stopped: list[Writer] = []


def _before_fork() -> None:
    _stopped.extend(_writers)
    for writer in _stopped:
        writer.before_fork()


def _after_fork() -> None:
    while _stopped:
        _stopped.pop().after_fork()


def _after_fork_in_child() -> None:
    while _stopped:
        _stopped.pop().after_fork_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child)
