"""A run as tables: Parquet files, or one DuckDB database. DuckDB writes both."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from whyjit.errors import WhyjitError
from whyjit.export.tables import TABLES, Source, Table

if TYPE_CHECKING:
    from whyjit.model.recording import Row

Form = Literal["parquet", "duckdb"]

DATABASE = "whyjit.duckdb"
_BATCH = 20_000
_SCRATCH = 64_000_000  # bytes of rows that wait outside the database
_MISSING = "an export needs the duckdb package; install it with: pip install 'whyjit[duckdb]'"


def export(run: Path | str, out: Path, form: Form) -> list[Path]:
    """Write the tables of a run into a folder; returns the files.

    Recordings are read one at a time, and DuckDB spills to the folder what it cannot hold: neither the number of
    processes nor their size is bounded by memory.

    Arguments:
      run: a run's folder, a folder of runs (its newest is meant), a recording's file, or the address of a run's folder
        in an object store (`s3://bucket/run`).
      out: the folder, which is made if there is none. Files of an earlier export in it are replaced.
      form: "parquet" for a file for each table, "duckdb" for one database.

    Raises:
      WhyjitError: DuckDB is missing, the run cannot be read, or the folder cannot be written to.
    """
    try:
        import duckdb
    except ImportError as fault:
        raise WhyjitError(_MISSING) from fault
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".whyjit-", dir=out) as scratch, ExitStack() as stack:
            folder = Path(scratch)
            connection = stack.enter_context(duckdb.connect(folder / DATABASE))
            connection.execute(f"SET temp_directory = '{_quoted(str(folder / 'spilled'))}'")
            filling = [_Filling(connection, table, folder) for table in TABLES]
            for source in _sources(run):
                for one in filling:
                    one.add(source)
            for one in filling:
                one.flush()
            if form == "duckdb":
                stack.close()
                return [(folder / DATABASE).replace(out / DATABASE)]
            return [_copy(connection, table, folder, out) for table in TABLES]
    except OSError as fault:
        raise WhyjitError(f"cannot write to {out}: {fault.strerror}; name another folder with -o") from fault
    except duckdb.Error as fault:
        raise WhyjitError(f"cannot write the tables to {out}: {fault}") from fault


def _sources(run: Path | str) -> Iterator[Source]:
    """The processes of a run, the one that stands for it first; those of a store in the order of their names."""
    from whyjit.analyse.explain import explain
    from whyjit.store import contents, many, reader, runs

    files: Iterable[Path]
    if many.is_remote(str(run)):
        files = many.Recordings(str(run)).files()
    else:
        found = reader.find_run(Path(run))
        first = reader.main_file(found)
        files = [first, *(file for file in runs.files(found) if file != first)]
    for process, file in enumerate(files):
        recording = contents.load(file)
        yield Source(process, explain(recording), _Rows(file), recording.unattributed)


class _Rows:
    """The ledger rows of a file, read when they are gone through."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __iter__(self) -> Iterator[Row]:
        from whyjit.store import contents

        return contents.all_rows(self._file)


class _Filling:
    """Makes a table and puts rows in. They pass through a file of JSON lines, which DuckDB reads in typed columns."""

    def __init__(self, connection: Any, table: Table, folder: Path) -> None:
        self._connection = connection
        self._table = table
        self._names = [column.name for column in table.columns]
        self._file = folder / f"{table.name}.jsonl"
        self._encoder = msgspec.json.Encoder()
        self._pending = False
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
        connection.execute(f"COMMENT ON TABLE {table.name} IS '{_quoted(table.what)}'")
        for column in table.columns:
            connection.execute(f"""COMMENT ON COLUMN {table.name}."{column.name}" IS '{_quoted(column.what)}'""")

    def add(self, source: Source) -> None:
        """The rows of one process."""
        rows = (dict(zip(self._names, _whole(values), strict=True)) for values in self._table.rows(source))
        with self._file.open("ab") as lines:
            while batch := list(itertools.islice(rows, _BATCH)):
                lines.write(self._encoder.encode_lines(batch))
                self._pending = True
            size = lines.tell()
        if size > _SCRATCH:
            self.flush()

    def flush(self) -> None:
        """Move what has been written into the table."""
        if self._pending:
            types = ", ".join(f"\"{column.name}\": '{column.type}'" for column in self._table.columns)
            self._connection.execute(
                f"INSERT INTO {self._table.name} SELECT * FROM read_json("  # noqa: S608 - our own words
                f"'{_quoted(str(self._file))}', format = 'newline_delimited', columns = {{{types}}})"
            )
        self._file.unlink(missing_ok=True)
        self._pending = False


def _whole(values: Iterable[Any]) -> Iterator[Any]:
    """The values with text that can be stored."""
    from whyjit.present.clean import encodable

    for value in values:
        if isinstance(value, str):
            yield encodable(value)
        elif isinstance(value, list):
            yield [encodable(each) if isinstance(each, str) else each for each in value]
        else:
            yield value


def _copy(connection: Any, table: Table, scratch: Path, out: Path) -> Path:
    """Write a table as a Parquet file, which is in its place only once it is whole."""
    name = f"{table.name}.parquet"
    made = scratch / name
    connection.execute(f"COPY {table.name} TO '{_quoted(str(made))}' (FORMAT parquet, COMPRESSION zstd)")
    return made.replace(out / name)


def _quoted(text: str) -> str:
    return text.replace("'", "''")
