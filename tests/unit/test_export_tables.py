"""An export: its tables hold what the recording holds, in the columns that the reference describes."""

import sys
from pathlib import Path

import msgspec
import pytest
import store_samples as samples

from whyjit import cli
from whyjit.errors import WhyjitError
from whyjit.export.parquet import DATABASE, export
from whyjit.export.tables import TABLES
from whyjit.model.failure import Failure
from whyjit.store import runs
from whyjit.store.writer import Writer

duckdb = pytest.importorskip("duckdb")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(tmp_path):
    """A run of two processes."""
    folder = runs.create_run(tmp_path / "runs", "train")
    parent, child = samples.environment(pid=10, argv=("train.py", "it's")), samples.environment(pid=11)
    writer = Writer.create(folder, parent)
    full = samples.full_batch()
    hostile = Failure("E\udcff", "branch-on-value", "st'ep", "a\nb.py", 3, expression="x > 0", arguments=("x", "y"))
    full = msgspec.structs.replace(full, environment=parent, failures=(*full.failures, hostile), final=True)
    writer.write(full)
    writer.close()
    more = samples.batch(functions=(samples.STEP,), specializations=(samples.specialization(1),), final=True)
    writer = Writer.create(folder, child, parent=10)
    writer.write(msgspec.structs.replace(more, environment=child))
    writer.close()
    return folder


def read(out, table, what="*", rest=""):
    return duckdb.connect().execute(f"SELECT {what} FROM '{out}/{table}.parquet' {rest}").fetchall()  # noqa: S608 - our own words


def test_every_table_is_a_file_with_the_columns_that_are_described(run, tmp_path):
    out = tmp_path / "made" / "tables"
    files = export(run, out, "parquet")
    assert files == [out / f"{table.name}.parquet" for table in TABLES]
    assert sorted(path.name for path in out.iterdir()) == sorted(path.name for path in files)
    for table in TABLES:
        described = duckdb.sql(f"DESCRIBE SELECT * FROM '{out}/{table.name}.parquet'").fetchall()  # noqa: S608
        assert [row[:2] for row in described] == [(column.name, column.type) for column in table.columns]


def test_the_rows_are_those_of_the_recording(run, tmp_path):
    export(run, tmp_path / "out", "parquet")
    out = tmp_path / "out"
    assert read(out, "processes", "process, pid, jax, argv, complete") == [
        (0, 10, "0.10.2", ["train.py", "it's"], True),
        (1, 11, "0.10.2", [], True),
    ]
    assert read(out, "functions", "process, function, name, file, line, traces, compiles", "ORDER BY ALL") == [
        (0, 1, "step", "train.py", 3, 2, 2),
        (1, 1, "step", "train.py", 3, 1, 1),
    ]
    made = read(out, "specializations", "number, cause, compared_with, line, called_in", "WHERE process = 0")
    assert made == [(1, "first", None, 9, "main"), (2, "shape", 1, 9, "main")]
    assert read(out, "changes", "number, position, kind, path, old, new") == [
        (2, 0, "shape", "batch[0]", "f32[1,64]", "f32[2,64]")
    ]
    arguments = read(out, "arguments", "path, role, shape, dtype, type, value", "WHERE process = 0 AND number = 2")
    assert arguments == [
        ("batch[0]", "array", [2, 64], "float32", None, None),
        ("batch[1]", "array", [64], "float32", None, None),
        ("mode", "static", None, None, "str", "'sum'"),
    ]
    assert read(out, "calls", "position, number, event, count, nested") == [
        (1, 1, "new", 1, False), (2, 1, "miss", 1, False), (3, 2, "new", 1, False), (4, 1, "hit", 7, False),
    ]  # fmt: skip
    assert read(out, "stages", "count(*), sum(own_s)", "WHERE function IS NULL") == [(1, 0.2)]
    assert read(out, "stages", "kind, count(*)", "WHERE function = 1 GROUP BY kind ORDER BY kind") == [
        ("compile", 3),
        ("lower", 3),
        ("trace", 3),
    ]
    assert ("hits", "this JAX has no post-call hook") in read(out, "gaps", "what, reason")
    assert read(out, "failures", "error, function, file, arguments")[1] == ("E\\udcff", "st'ep", "a\nb.py", ["x", "y"])
    assert ("stale-constant",) in read(out, "findings", "code")


def test_a_database_holds_the_same_with_its_descriptions(run, tmp_path):
    export(run, tmp_path / "files", "parquet")
    (file,) = export(run, tmp_path / "base", "duckdb")
    assert file == tmp_path / "base" / DATABASE
    assert [path.name for path in file.parent.iterdir()] == [DATABASE]
    with duckdb.connect(file, read_only=True) as connection:
        for table in TABLES:
            rows = connection.table(table.name).fetchall()
            assert rows == read(tmp_path / "files", table.name)
        comments = connection.execute(
            "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'gaps'"
        ).fetchall()
        assert comments[1:] == [("what", "What."), ("reason", "Why.")]


def test_an_export_replaces_an_earlier_one(run, tmp_path):
    export(run, tmp_path / "out", "parquet")
    before = (tmp_path / "out" / "functions.parquet").read_bytes()
    (tmp_path / "out" / "functions.parquet").write_bytes(b"old")
    export(run, tmp_path / "out", "parquet")
    assert (tmp_path / "out" / "functions.parquet").read_bytes() == before
    assert export(run, tmp_path / "out", "duckdb")
    assert export(run, tmp_path / "out", "duckdb")


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main(["export", *map(str, arguments)])
    return (ended.value.code, *capsys.readouterr())


def test_the_command(run, tmp_path, capsys):
    status, out, err = call(capsys, run, "-o", tmp_path / "out")
    assert (status, err) == (0, "")
    assert out.splitlines() == [str(tmp_path / "out" / f"{table.name}.parquet") for table in TABLES]


def test_what_cannot_be_done_is_a_line(run, tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    for arguments in ([run], [tmp_path / "none", "-o", tmp_path], [run, "-o", tmp_path / "file" / "below"]):
        status, out, err = call(capsys, *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("whyjit: ")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(WhyjitError, match=r"pip install 'whyjit\[duckdb\]'"):
        export(run, tmp_path / "more", "parquet")
    assert not (tmp_path / "more").exists()
