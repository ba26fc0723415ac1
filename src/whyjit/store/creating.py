"""A new file for a process's recording: it is either not there, or there and readable."""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
from pathlib import Path

from whyjit.store.errors import StoreError
from whyjit.store.schema import SCHEMA, SUFFIX


def create(folder: Path, pid: int, meta: dict[str, str]) -> Path:
    """Make an empty recording in a run's folder, named after the process and the first number that is free."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO meta VALUES (?, ?)", list(meta.items()))
        connection.commit()
        image = connection.serialize()
    finally:
        connection.close()
    draft = folder / f".{pid}-{os.urandom(4).hex()}.new"
    try:
        draft.write_bytes(image)
        return _publish(draft, folder, pid)
    except OSError as fault:
        raise StoreError(
            f"cannot write a recording into {folder}: {fault.strerror}; choose another folder with --out"
        ) from fault
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def _publish(draft: Path, folder: Path, pid: int) -> Path:
    """Give the finished draft its name in one step, so that a kill leaves no half-made recording.

    The same process id can come by twice: after `os.execv`, and in containers that share a folder.
    """
    for number in itertools.count(1):
        path = folder / f"{pid}-{number}{SUFFIX}"
        try:
            os.link(draft, path)
        except FileExistsError:
            continue
        except OSError:  # a file system without hard links
            if path.exists():
                continue
            draft.rename(path)
        return path
    raise AssertionError
