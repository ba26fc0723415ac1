"""Which run is meant, and which of its files."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
import store_samples as samples

from whyjit.model.batch import Batch
from whyjit.store import reader, runs
from whyjit.store.errors import StoreError
from whyjit.store.writer import Writer

NOON = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


def record(run, *, functions=1, parent=0, **environment):
    process = samples.environment(**environment)
    writer = Writer.create(run, process, parent=parent)
    writer.write(Batch(process, functions=(samples.STEP,) * functions))
    writer.close()
    return writer.path


def test_a_run_is_named_after_the_moment_and_the_program(tmp_path):
    run = runs.create_run(tmp_path / ".whyjit", "train", NOON)
    assert run == tmp_path / ".whyjit" / "2026-11-29T12-00-00-train"
    assert run.is_dir()
    assert (tmp_path / ".whyjit" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    ("label", "name"),
    [("pkg.mod", "pkg.mod"), ("a b/ü", "a-b"), ("../..", "program"), ("", "program"), ("x" * 300, "x" * 40)],
)
def test_a_label_becomes_a_safe_name(tmp_path, label, name):
    assert runs.create_run(tmp_path, label, NOON).name == f"2026-11-29T12-00-00-{name}"


def test_runs_of_one_second_differ(tmp_path):
    names = [runs.create_run(tmp_path, "a", NOON).name for _ in range(3)]
    assert names == [f"2026-11-29T12-00-00-a{end}" for end in ("", "-2", "-3")]
    assert not (tmp_path / ".gitignore").exists()


def test_a_place_for_runs_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    for out in (tmp_path / "file", tmp_path / "file" / "runs"):
        with pytest.raises(StoreError, match=r"cannot make a folder for the recording in .*; choose another .*--out"):
            runs.create_run(out, "a")


def test_a_run_a_file_and_the_newest_of_a_folder_are_found(tmp_path, monkeypatch):
    old = runs.create_run(tmp_path / ".whyjit", "b", NOON)
    new = runs.create_run(tmp_path / ".whyjit", "a", NOON.replace(second=1))
    ended = runs.create_run(tmp_path / ".whyjit", "c", NOON.replace(second=2))
    path = record(old)
    record(new)
    assert runs.find_run(old) == old
    assert runs.find_run(path) == path
    assert runs.find_run(tmp_path / ".whyjit") == new
    monkeypatch.chdir(tmp_path)
    assert runs.find_run() == Path(".whyjit") / new.name
    assert runs.files(path) == [path]
    with pytest.raises(StoreError, match=r"holds no recording: it was ended within its first second"):
        runs.find_run(ended)


def test_runs_of_one_second_go_by_their_last_change(tmp_path):
    for number, name in enumerate(("b", "c", "a")):
        run = runs.create_run(tmp_path, name, NOON)
        record(run)
        os.utime(run, (number, number))
    assert runs.find_run(tmp_path).name.endswith("-a")


def test_no_run_is_said_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"nothing has been recorded in \.whyjit yet; .* whyjit run script\.py"):
        runs.find_run()
    with pytest.raises(StoreError, match=r"there is no run at gone; name a run's folder, or a folder of runs"):
        runs.find_run(Path("gone"))
    with pytest.raises(StoreError, match=r"holds no run; name a run's folder, or record"):
        runs.find_run(tmp_path)


def test_the_process_started_by_hand_stands_for_its_run(tmp_path):
    record(tmp_path, pid=30, started=3.0, parent=10)
    main = record(tmp_path, pid=40, started=1.0)
    record(tmp_path, pid=20, started=2.0, parent=10)
    assert reader.main_file(tmp_path) == main
    assert [recording.environment.pid for recording in reader.load_all(tmp_path)] == [40, 20, 30]
    assert reader.load(tmp_path).environment.pid == 40


def test_a_damaged_child_does_not_hide_the_run(tmp_path):
    main = record(tmp_path, pid=40, started=2.0)
    damaged = record(tmp_path, pid=30, started=1.0)
    damaged.write_bytes(b"hello")
    assert reader.main_file(tmp_path) == main
    main.write_bytes(b"hello")
    with pytest.raises(StoreError, match="is not a recording of whyjit"):
        reader.main_file(tmp_path)


def test_a_child_stands_for_a_run_whose_main_process_used_no_jax(tmp_path):
    record(tmp_path, pid=40, started=1.0, functions=0)
    record(tmp_path, pid=30, started=3.0, parent=40)
    child = record(tmp_path, pid=20, started=2.0, parent=40)
    assert reader.main_file(tmp_path) == child
