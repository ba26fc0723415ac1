"""Batches written are what is read back."""

import sqlite3
import threading

import msgspec
import pytest
import store_samples as samples

from whyjit.model.batch import Batch
from whyjit.model.failure import Failure
from whyjit.model.recording import Gap
from whyjit.store import reader
from whyjit.store.errors import StoreError
from whyjit.store.writer import Writer


@pytest.fixture
def writer(tmp_path):
    writer = Writer.create(tmp_path, samples.environment())
    yield writer
    writer.close()


def test_everything_in_a_batch_is_read_back(writer):
    batch = samples.full_batch()
    writer.write(batch)
    writer.close()
    found = reader.load(writer.path)
    for part in ("environment", "functions", "specializations", "failures", "gaps", "stale", "unattributed", "seconds"):
        assert getattr(found, part) == getattr(batch, part), part
    assert tuple(reader.rows(writer.path, 1)) == batch.rows
    assert reader.program(writer.path, "p1") == samples.PROGRAM
    assert reader.program(writer.path, "p2") is None


def test_a_recording_is_complete_after_its_final_batch_only(writer):
    writer.write(samples.batch())
    assert not reader.load(writer.path).complete
    writer.write(samples.batch(final=True))
    assert reader.load(writer.path).complete
    writer.close()
    assert reader.load(writer.path).complete


def test_later_batches_replace_what_has_the_same_key_and_add_the_rest(writer):
    writer.write(samples.full_batch())
    later = samples.full_batch()
    renamed = msgspec.structs.replace(samples.STEP, kind="method")
    counted = samples.specialization(2, calls=41)
    changed = msgspec.structs.replace(samples.specialization(1), error="ValueError", stages=())
    stale = (msgspec.structs.replace(later.stale[0], calls_since=9),)
    writer.write(msgspec.structs.replace(later, functions=(renamed,), specializations=(counted, changed), stale=stale))
    found = reader.load(writer.path)
    assert found.functions == (renamed,)
    assert found.specializations == (changed, counted)
    assert found.stale == stale
    assert len(found.failures) == 2
    assert len(found.unattributed) == 2
    assert found.gaps == later.gaps


def test_the_last_row_grows(writer):
    writer.write(samples.batch(rows=(samples.row(1, event="new"), samples.row(2, count=3))))
    writer.write(samples.batch(rows=(samples.row(2, count=8), samples.row(3))))
    assert [(row.order, row.count) for row in reader.rows(writer.path, 1)] == [(1, 1), (2, 8), (3, 1)]


def test_rows_are_of_one_function_and_in_order(writer):
    rows = (samples.row(3), samples.row(1), samples.row(2, function=2))
    writer.write(samples.batch(rows=rows))
    assert [row.order for row in reader.rows(writer.path, 1)] == [1, 3]


def test_counts_are_columns(writer):
    writer.write(samples.full_batch())
    writer.close()
    connection = sqlite3.connect(writer.path)
    tally = connection.execute("SELECT function, number, calls, misses, traces, compiles FROM tally").fetchall()
    connection.close()
    assert tally == [(1, 1, 1, 1, 1, 1), (1, 2, 1, 1, 1, 1)]


def test_equal_leaves_are_stored_once(writer):
    writer.write(samples.batch(specializations=tuple(samples.specialization(n, leaves=100) for n in range(1, 51))))
    writer.close()
    connection = sqlite3.connect(writer.path)
    stored = connection.execute("SELECT count(*) FROM leaf").fetchone()[0]
    connection.close()
    assert stored == 50 + 99 + 50
    assert len(reader.load(writer.path).specializations[49].signature.leaves) == 100


def test_text_that_is_no_unicode_is_spelt_out(writer):
    odd = "caf\udce9"
    writer.write(
        samples.batch(
            functions=(msgspec.structs.replace(samples.STEP, file=odd),),
            specializations=(samples.specialization(1, static=odd),),
            rows=(msgspec.structs.replace(samples.row(1), call_site=samples.Location(odd, 1)),),
            gaps=(Gap(odd, odd),),
        )
    )
    found = reader.load(writer.path)
    assert found.functions[0].file == "caf\\udce9"
    assert found.specializations[0].signature.statics[0].text == "caf\\udce9"
    assert next(reader.rows(writer.path, 1)).call_site.file == "caf\\udce9"
    assert found.gaps == (Gap("caf\\udce9", "caf\\udce9"),)


def test_arguments_that_are_no_unicode_can_start_a_recording(tmp_path):
    writer = Writer.create(tmp_path, samples.environment(argv=("a.py", "\udcff")))
    writer.close()
    assert reader.load(writer.path).environment.argv == ("a.py", "\\udcff")


def test_the_failure_that_ended_the_program_is_marked(writer):
    writer.write(samples.full_batch())
    assert reader.uncaught(writer.path) is None
    known = samples.full_batch().failures[0]
    writer.mark_uncaught(known)
    assert reader.uncaught(writer.path) == known
    assert reader.load(writer.path).failures == (known,)
    other = Failure("TypeError", "non-array-argument")
    writer.mark_uncaught(other)
    assert reader.uncaught(writer.path) == other
    assert reader.load(writer.path).failures == (known, other)


def test_each_recording_gets_a_file_of_its_own(tmp_path):
    paths = [Writer.create(tmp_path, samples.environment(pid=7)).path.name for _ in range(3)]
    assert paths == ["7-1.whyjit", "7-2.whyjit", "7-3.whyjit"]
    assert sorted(path.name for path in tmp_path.iterdir()) == paths


def test_threads_may_write_at_once(writer):
    def write(function):
        for start in range(1, 200, 10):
            orders = range(function * 1000 + start, function * 1000 + start + 10)
            writer.write(samples.batch(rows=tuple(samples.row(order, function=function) for order in orders)))

    threads = [threading.Thread(target=write, args=(function,)) for function in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(list(reader.rows(writer.path, function))) for function in range(4)] == [200] * 4


def test_closing_leaves_one_plain_file(writer, tmp_path):
    writer.write(samples.full_batch())
    writer.close()
    assert [path.name for path in tmp_path.iterdir()] == [writer.path.name]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    with pytest.raises(StoreError, match=r"cannot write a recording into .*: No such file .*; choose .*--out"):
        Writer.create(tmp_path / "gone", samples.environment())


def test_a_batch_the_disk_refuses_leaves_the_earlier_ones(writer):
    writer.write(samples.full_batch())
    writer._connection.execute("PRAGMA max_page_count = 1")
    rows = tuple(samples.row(order) for order in range(10, 5000))
    with pytest.raises(StoreError, match=r"cannot write to .*: database or disk is full"):
        writer.write(samples.batch(rows=rows))
    assert len(list(reader.rows(writer.path, 1))) == 4
    writer._connection.execute("PRAGMA max_page_count = 100000")
    writer.write(samples.batch(rows=rows, final=True))
    assert len(list(reader.rows(writer.path, 1))) == 4 + len(rows)
    assert reader.load(writer.path).complete


def test_an_empty_batch_is_no_fault(writer):
    writer.write(Batch(samples.environment()))
    assert reader.load(writer.path).functions == ()
