"""A recording is read as it was at one moment, though its process goes on writing meanwhile."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest
import store_samples as samples

from whyjit.store import access, reader
from whyjit.store.errors import StoreError
from whyjit.store.writer import Writer


class Living:
    """A process that goes on: what it has written is in the log; part of it in the file, too."""

    def __init__(self, folder):
        self.writer = Writer.create(folder, samples.environment())
        self.number = 0
        self.settle()

    def write(self):
        self.number += 1
        function = msgspec.structs.replace(samples.STEP, id=self.number)
        self.writer.write(samples.batch(functions=(function,)))

    def settle(self):
        """Move the log's pages into the file, and let time go by."""
        self.writer._open().execute("PRAGMA wal_checkpoint").fetchall()
        os.utime(self.writer.path, (1, 1))

    def begin_anew(self):
        """The next page goes to the beginning of the log."""
        self.settle()
        self.write()


@pytest.fixture
def living(tmp_path):
    process = Living(tmp_path)
    yield process
    process.writer.close()


def copying(monkeypatch, meanwhile):
    """Each time the log has been copied, call `meanwhile` with the copy."""
    copy = shutil.copyfile

    def copied(source, target):
        copy(source, target)
        if str(source).endswith("-wal"):
            meanwhile(Path(target))

    monkeypatch.setattr(access.shutil, "copyfile", copied)


def test_a_log_that_begins_anew_while_it_is_copied_undoes_nothing(living, monkeypatch):
    log = Path(f"{living.writer.path}-wal")
    living.write()
    size = log.stat().st_size
    for _ in range(4):
        living.write()
    living.settle()
    calls = []

    def meanwhile(target):
        if not calls:
            os.truncate(target, size)  # so far it had come when the log began anew
            living.begin_anew()
            os.utime(living.writer.path, (1, 1))
        calls.append(target)

    copying(monkeypatch, meanwhile)
    assert len(reader.load(living.writer.path).functions) == 6
    assert len(calls) > 1


def test_a_file_that_is_never_still_is_an_error_and_no_mixture(living, monkeypatch):
    living.write()
    copying(monkeypatch, lambda _: living.begin_anew())
    monkeypatch.setattr(access, "_PATIENCE_S", 0.2)
    with pytest.raises(StoreError, match="was written to all the time while it was read"):
        reader.load(living.writer.path)
