"""Files that are no readable recording are answered with one sentence, and reading leaves nothing behind."""

import random
import shutil
import sqlite3

import pytest
import store_samples as samples

from whyjit.errors import WhyjitError
from whyjit.store import reader
from whyjit.store.errors import StoreError
from whyjit.store.schema import SCHEMA_VERSION
from whyjit.store.writer import Writer


@pytest.fixture
def recording(tmp_path):
    writer = Writer.create(tmp_path, samples.environment())
    writer.write(samples.full_batch())
    writer.close()
    return writer.path


def read_all(path):
    found = reader.load(path)
    return found, [list(reader.rows(path, function.id)) for function in found.functions], reader.program(path, "p1")


def message(path):
    with pytest.raises(StoreError) as caught:
        read_all(path)
    text = caught.value.message
    assert "\n" not in text
    assert caught.value.exit_code == 2
    return text


def test_a_store_error_is_a_whyjit_error():
    assert issubclass(StoreError, WhyjitError)


@pytest.mark.parametrize("content", [b"hello", b"\0" * 5000, b"{}" * 3000, "é".encode() * 70], ids=len)
def test_a_foreign_file(tmp_path, content):
    path = tmp_path / "a.whyjit"
    path.write_bytes(content)
    assert message(path) == f"{path} is not a recording of whyjit; name the folder of a run, or a file in it"


def test_a_database_of_another_program(tmp_path):
    path = tmp_path / "a.whyjit"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()
    assert message(path) == f"{path} is a database of another program, not a recording of whyjit"


def test_an_empty_file(tmp_path):
    path = tmp_path / "a.whyjit"
    path.touch()
    assert message(path) == f"{path} is empty; record the program again"


def test_a_newer_schema(recording):
    connection = sqlite3.connect(recording)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 5}")
    connection.close()
    text = message(recording)
    assert f"its schema is {SCHEMA_VERSION + 5}, this whyjit reads up to {SCHEMA_VERSION}" in text
    assert "pip install --upgrade whyjit" in text


@pytest.mark.parametrize("share", [0.0005, 0.01, 0.3, 0.5, 0.99])
def test_a_truncated_file(recording, share):
    whole = recording.read_bytes()
    recording.write_bytes(whole[: int(len(whole) * share)])
    assert "is cut off" in message(recording)


def test_a_folder_named_like_a_recording(tmp_path):
    folder = tmp_path / "a.whyjit"
    folder.mkdir()
    assert "holds no run" in message(folder)


def test_a_file_that_may_not_be_read(recording, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    assert message(recording) == f"cannot read {recording}: Permission denied"


def test_random_damage_never_gives_another_error(recording):
    whole = recording.read_bytes()
    chance = random.Random(5)  # noqa: S311 - no secret
    refused = 0
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(chance.choice((1, 4, 64))):
            content[chance.randrange(100, len(content))] = chance.randrange(256)
        recording.write_bytes(content)
        try:
            read_all(recording)
        except StoreError:
            refused += 1
    assert 0 < refused < 300


def test_a_damaged_table_is_said_to_be_damaged(recording):
    connection = sqlite3.connect(recording)
    connection.execute("UPDATE specialization SET body = x'c1'")
    connection.commit()
    connection.close()
    assert "is damaged and cannot be read" in message(recording)


def test_reading_leaves_nothing_behind_and_needs_no_write_permission(recording):
    content = recording.read_bytes()
    recording.chmod(0o444)
    recording.parent.chmod(0o555)
    read_all(recording)
    recording.parent.chmod(0o755)
    assert [path.name for path in recording.parent.iterdir()] == [recording.name]
    assert recording.read_bytes() == content


def test_the_log_of_a_killed_process_is_read_and_left_alone(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    writer = Writer.create(folder, samples.environment())
    writer.write(samples.full_batch())
    killed = tmp_path / "killed"
    killed.mkdir()
    for path in folder.iterdir():
        shutil.copy(path, killed / path.name)
    writer.close()
    before = {path.name: path.read_bytes() for path in killed.iterdir()}
    assert any(name.endswith("-wal") for name in before)
    killed.chmod(0o555)
    found, rows, _ = read_all(killed)
    killed.chmod(0o755)
    assert len(found.specializations) == 2
    assert len(rows[0]) == 4
    assert not found.complete
    assert {path.name: path.read_bytes() for path in killed.iterdir()} == before


@pytest.mark.parametrize("size", [0, 10, 32, 2000, 9000])
def test_a_log_that_was_cut_off_gives_what_was_whole(tmp_path, size):
    folder = tmp_path / "run"
    folder.mkdir()
    writer = Writer.create(folder, samples.environment())
    for order in range(1, 9):
        writer.write(samples.batch(functions=(samples.STEP,), rows=(samples.row(order),)))
    killed = tmp_path / writer.path.name
    shutil.copy(writer.path, killed)
    log = folder / f"{writer.path.name}-wal"
    killed.with_name(log.name).write_bytes(log.read_bytes()[:size])
    writer.close()
    rows = [row.order for row in reader.rows(killed, 1)]
    assert rows == list(range(1, len(rows) + 1))
    assert not reader.load(killed).complete
