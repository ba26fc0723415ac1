"""Recordings of older schemas are read as if they were new."""

import sqlite3
from pathlib import Path

import pytest

from whyjit.model.failure import Failure
from whyjit.model.recording import Gap
from whyjit.store import migrations, reader
from whyjit.store.schema import SCHEMA, SCHEMA_VERSION

GOLDEN = Path(__file__).parent.parent / "golden" / "store"


def shape(connection):
    """The tables with their columns, by name."""
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {table: {row[1:4] for row in connection.execute(f"PRAGMA table_info({table})")} for table in tables}


def test_there_is_a_step_from_every_older_version():
    assert sorted(migrations.STEPS) == list(range(1, SCHEMA_VERSION))


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_a_migrated_file_has_the_tables_of_a_new_one(tmp_path, version):
    path = tmp_path / "old.whyjit"
    path.write_bytes((GOLDEN / f"schema-{version}.whyjit").read_bytes())
    old, new = sqlite3.connect(path, isolation_level=None), sqlite3.connect(":memory:")
    new.executescript(SCHEMA)
    assert shape(old) != shape(new)
    migrations.migrate(old, version)
    assert shape(old) == shape(new)
    assert old.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
    old.close()
    new.close()


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_an_older_file_is_read_whole_and_left_as_it_was(version):
    path = GOLDEN / f"schema-{version}.whyjit"
    content, neighbours = path.read_bytes(), sorted(path.parent.iterdir())
    found = reader.load(path)
    assert found.complete
    assert found.seconds == 12.5
    assert found.environment.argv == ("train.py",)
    assert [function.name for function in found.functions] == ["step"]
    assert [(spec.number, spec.calls, spec.signature.leaves[0].shape) for spec in found.specializations] == [
        (1, 30, (32, 64)),
        (2, 1, (17, 64)),
    ]
    assert [leaf.path for leaf in found.specializations[1].signature.leaves] == ["batch['x']", "batch['y']"]
    assert found.specializations[0].signature.nodes[0].keys == ("x", "y")
    assert [stage.kind for stage in found.specializations[0].stages] == ["trace", "lower", "compile"]
    assert found.failures == (Failure("TracerBoolConversionError", "branch-on-value", "step"),)
    assert found.gaps == (Gap("hits", "this JAX has no post-call hook"),)
    assert [(row.event, row.count) for row in reader.rows(path, 1)] == [("new", 1), ("hit", 29), ("new", 1)]
    assert reader.uncaught(path) is None
    assert path.read_bytes() == content
    assert sorted(path.parent.iterdir()) == neighbours
