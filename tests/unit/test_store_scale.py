"""Large recordings: 10,000 specializations and 1,000,000 ledger rows."""

import threading
import time

import pytest
import store_samples as samples

from whyjit.store import reader
from whyjit.store.writer import Writer


@pytest.mark.slow
def test_a_large_recording_is_loaded_within_two_seconds(tmp_path):
    writer = Writer.create(tmp_path, samples.environment())
    for start in range(0, 10_000, 500):
        numbers = range(start + 1, start + 501)
        specializations = tuple(samples.specialization(number, leaves=100) for number in numbers)
        rows = tuple(samples.row(100 * start + index, number=start + 1 + index % 500) for index in range(50_000))
        writer.write(samples.batch(functions=(samples.STEP,), specializations=specializations, rows=rows))
    writer.close()
    # Processor time: other tests may run at the same time.
    begin = time.process_time()
    found = reader.load(tmp_path)
    loaded = time.process_time() - begin
    count = sum(1 for _ in reader.rows(tmp_path, 1))
    read = time.process_time() - begin - loaded
    size = writer.path.stat().st_size
    print(f"load {loaded:.2f} s, rows {read:.2f} s, {size / 1e6:.0f} MB")
    assert len(found.specializations) == 10_000
    assert count == 1_000_000
    assert loaded < 2
    assert read < 5


def test_writing_beside_a_busy_program_does_not_wait_for_it_at_every_row(tmp_path):
    writer = Writer.create(tmp_path, samples.environment())
    batch = samples.batch(
        specializations=tuple(samples.specialization(number) for number in range(1, 1001)),
        rows=tuple(samples.row(order) for order in range(20_000)),
    )
    stop = False

    def work():
        while not stop:
            pass

    thread = threading.Thread(target=work)
    thread.start()
    begin = time.perf_counter()
    writer.write(batch)
    taken = time.perf_counter() - begin
    stop = True
    thread.join()
    writer.close()
    # Row by row it is about 25 s.
    assert taken < 3
