"""The recordings of many processes, one at a time: in a run's folder, or in a folder of an object store.

Recordings of a store are copied to a temporary folder, each for as long as it is read, so that neither memory nor disk
grows with their number.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from whyjit.model.recording import Environment
from whyjit.store import contents, runs
from whyjit.store.access import opened
from whyjit.store.errors import StoreError
from whyjit.store.schema import SUFFIX

if TYPE_CHECKING:
    from whyjit.model.recording import Recording

_MISSING = "reading from {place} needs the fsspec package; install it with: pip install 'whyjit[duckdb]'"


def is_remote(place: str) -> bool:
    """Whether a place is an address, such as `s3://bucket/run`, and not a path."""
    return "://" in place


class Recordings:
    """The recordings of a run, gone through once for each loop over them; `unreadable` are those of the last loop.

    On disk they come in the order of their processes' numbers, from a store in the order of their names.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self.unreadable: list[StoreError] = []

    def __iter__(self) -> Iterator[Recording]:
        self.unreadable = []
        for file in self.files():
            try:
                recording = contents.load(file)
            except StoreError as fault:
                self.unreadable.append(fault)
                continue
            yield recording

    def files(self) -> Iterator[Path]:
        """The files; one that was fetched is gone when the next one is asked for."""
        yield from _fetched(self._place) if is_remote(self._place) else _in_order(self._place)


def _in_order(place: str) -> list[Path]:
    run = runs.find_run(Path(place))
    return sorted(runs.files(run), key=_number)


def _number(file: Path) -> tuple[int, float, str]:
    """Its process's number, and when it began; files that cannot be read come last."""
    try:
        with opened(file) as connection:
            found = connection.execute("SELECT value FROM meta WHERE key = 'environment'").fetchone()
        environment = msgspec.json.decode(found[0], type=Environment)
    except (StoreError, TypeError, msgspec.MsgspecError):
        return 1 << 62, 0.0, file.name
    return environment.process_index, environment.started, file.name


def _fetched(place: str) -> Iterator[Path]:
    try:
        import fsspec
    except ImportError as fault:
        raise StoreError(_MISSING.format(place=place)) from fault
    try:
        system, folder = fsspec.core.url_to_fs(place)
        names = sorted(name for name in system.find(folder) if name.endswith(SUFFIX))
    except Exception as fault:  # each kind of store has errors of its own
        raise StoreError(f"cannot read {place}: {type(fault).__name__}: {fault}") from fault
    if not names:
        raise StoreError(f"{place} holds no recording (*{SUFFIX}); name the folder of a run")
    for name in names:
        with tempfile.TemporaryDirectory(prefix="whyjit-") as scratch:
            file = Path(scratch) / name.rpartition("/")[2]
            _fetch(system, name, file)
            yield file


def _fetch(system: Any, name: str, file: Path) -> None:
    """Copy a recording, and the log of one whose process lives or was killed."""
    log = file.with_name(f"{file.name}-wal")
    try:
        system.get_file(name, str(file))
        if system.exists(f"{name}-wal"):
            system.get_file(f"{name}-wal", str(log))
    except Exception as fault:
        raise StoreError(f"cannot fetch {name}: {type(fault).__name__}: {fault}") from fault
