"""Large recordings: 10,000 specializations and 1,000,000 ledger rows."""

import sqlite3
import time
from contextlib import closing

import pytest
import store_samples as samples

from whyjit.store import reader
from whyjit.store.writer import Writer


def fetched(file):
    """Processor seconds to fetch all that a file holds, which is the least that reading it takes."""
    begin = time.process_time()
    with closing(sqlite3.connect(file)) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            connection.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 - names of its own
    return time.process_time() - begin


@pytest.mark.slow
def test_a_large_recording_is_loaded_in_little_more_than_it_takes_to_fetch_it(tmp_path):
    writer = Writer.create(tmp_path, samples.environment())
    for start in range(0, 10_000, 500):
        numbers = range(start + 1, start + 501)
        specializations = tuple(samples.specialization(number, leaves=100) for number in numbers)
        rows = tuple(samples.row(100 * start + index, number=start + 1 + index % 500) for index in range(50_000))
        writer.write(samples.batch(functions=(samples.STEP,), specializations=specializations, rows=rows))
    writer.close()
    least = fetched(writer.path)
    begin = time.process_time()
    found = reader.load(tmp_path)
    loaded = time.process_time() - begin
    count = sum(1 for _ in reader.rows(tmp_path, 1))
    read = time.process_time() - begin - loaded
    size = writer.path.stat().st_size
    print(f"fetch {least:.2f} s, load {loaded:.2f} s, rows {read:.2f} s, {size / 1e6:.0f} MB")
    assert len(found.specializations) == 10_000
    assert count == 1_000_000
    assert loaded + read < 10 * least


def test_writing_beside_a_busy_program_does_not_wait_for_it_at_every_row(tmp_path):
    writer = Writer.create(tmp_path, samples.environment())
    batch = samples.batch(
        specializations=tuple(samples.specialization(number) for number in range(1, 1001)),
        rows=tuple(samples.row(order) for order in range(20_000)),
    )
    # At each statement the interpreter lock is let go of once; a busy thread keeps it for 5 ms each time.
    statements = []
    writer._open().set_trace_callback(statements.append)
    writer.write(batch)
    writer.close()
    assert len(statements) < 100
