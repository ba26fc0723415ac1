"""What keeps a long recording small: sums for specializations beyond the limit, and rows that make room."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import store_samples as samples

import whyjit.observe.window
from whyjit.analyse.explain import explained
from whyjit.model.bounds import Bounds
from whyjit.model.recording import Environment, Failure, Stage
from whyjit.model.stages import Sums, one_by_one
from whyjit.observe.functions import Identity
from whyjit.observe.journal import Journal
from whyjit.observe.ledger import Ledger
from whyjit.observe.window import FAILURES_KEPT, Window
from whyjit.store import reader
from whyjit.store.writer import Writer

ENVIRONMENT = Environment("3", "0", "0", "cpu", pid=1)


def long_run(folder, *numbers):
    """What the long run printed."""
    command = [sys.executable, Path(__file__).with_name("long_run.py"), folder, *map(str, numbers)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def holds(found, most, rows):
    """Counts and seconds are exact; memory, entries, rows and the file stay within the limits; the gaps say so."""
    assert found["stored"] == found["made"]
    made, stored, compile_made, compile_stored = found["seconds"]
    assert stored == pytest.approx(made)
    assert compile_stored == pytest.approx(compile_made)
    assert found["entries"] == most // 2 + 1
    assert rows * 0.9 <= found["rows"] <= rows * 1.1
    halfway, end = found["held"]
    assert end < halfway + 1_000_000  # without limits, half of the small run alone adds 10 MB
    assert [gap.split(":")[0] for gap in found["gaps"]] == ["rows", "specializations of serve"]
    assert found["largest"] < 200 * rows + 5_000 * most + 5_000_000  # the write-ahead log takes 4 MB of it


def test_a_long_run_stays_within_its_limits(tmp_path):
    found = long_run(tmp_path, 1_000_000, 10_000, 200, 2_000)
    assert found["made"] == [1_000_000, 10_000, 10_000]
    holds(found, 200, 2_000)


@pytest.mark.slow
def test_ten_million_calls_and_a_hundred_thousand_specializations(tmp_path):
    found = long_run(tmp_path, 10_000_000, 100_000, 2_000, 20_000)
    assert found["made"] == [10_000_000, 100_000, 100_000]
    holds(found, 2_000, 20_000)


def function(ledger, name="step"):
    return ledger.function(Identity((name,), name, name, "a.py", 3, "user", "function"))


def specialize(ledger, state, number):
    spec = ledger.add_spec(state, samples.specialization(number).signature, samples.SITE)
    spec.stages.append(Stage("trace", 1.0, 0.5, 0.25))
    spec.calls += 1
    return spec


def test_functions_beyond_the_limit_are_counted_together():
    ledger = Ledger(Bounds(specializations=3))
    for number in range(1, 4):
        specialize(ledger, function(ledger, f"own{number}"), number)
    further = [function(ledger, f"step{number}") for number in range(50)]
    assert len({id(state) for state in further}) == 1
    for number, state in enumerate(further, 1):
        specialize(ledger, state, number)
    (entry,) = further[0].specs
    assert (entry.summed, entry.calls, entry.count("trace")) == (True, 50, 50)
    assert (further[0].identity.name, further[0].identity.file) == ("further functions", "")
    assert function(ledger, "own1") is not further[0]
    assert len(ledger.functions) == 4


def test_half_of_what_is_kept_may_be_one_functions_and_each_has_its_first():
    ledger = Ledger(Bounds(specializations=4))
    greedy, modest, late = function(ledger), function(ledger, "modest"), function(ledger, "late")
    for number in range(1, 8):
        specialize(ledger, greedy, number)
    for number in range(1, 4):
        specialize(ledger, modest, number)
    specialize(ledger, late, 1)
    assert [(spec.number, spec.summed) for spec in greedy.specs] == [(1, False), (2, False), (3, True)]
    assert [(spec.number, spec.summed) for spec in modest.specs] == [(1, False), (2, False), (3, True)]
    assert [(spec.number, spec.summed) for spec in late.specs] == [(1, False)]
    assert greedy.specs[-1].calls == greedy.specs[-1].count("trace") == 5


def test_the_sum_says_that_it_is_one_and_claims_no_cause():
    ledger = Ledger(Bounds(specializations=2))
    state = function(ledger)
    for number in range(1, 5):
        specialize(ledger, state, number)
    found = explained([one_by_one(spec.freeze()) for spec in state.specs])
    assert [one.cause.kind for one in found] == ["first", "unknown"]
    assert "together" in found[-1].cause.text
    assert len(found[-1].specialization.stages) == 3


def test_a_window_counts_only_what_came_after_its_opening():
    ledger = Ledger(Bounds(specializations=2))
    journal = Journal(ledger)
    state = function(ledger)
    for number in range(1, 5):
        specialize(ledger, state, number)
    ledger.part()
    window = Window(journal, [], lambda: [window], whole=True)
    for number in range(5, 12):
        specialize(ledger, state, number)
    seen = window.recording(ENVIRONMENT).specializations
    assert sum(spec.calls for spec in seen) == 7
    assert sum(len(spec.stages) for spec in seen) == 7


def test_stages_of_one_kind_become_one_with_their_mean():
    sums = Sums()
    for seconds in (1.0, 2.0, 6.0):
        sums.append(Stage("trace", 0.0, seconds, seconds / 2))
    sums.append(Stage("compile", 0.0, 5.0, 5.0))
    assert [(stage.kind, stage.count, stage.seconds, stage.own) for stage in sums] == [
        ("trace", 3, 3.0, 1.5),
        ("compile", 1, 5.0, 5.0),
    ]


def test_failures_beyond_the_limit_are_a_gap():
    journal = Journal(Ledger())
    window = Window(journal, [], lambda: [window], whole=True)
    for _ in range(FAILURES_KEPT + 5):
        window.fail(Failure("E", "branch-on-value"))
    found = window.recording(ENVIRONMENT)
    assert len(found.failures) == FAILURES_KEPT
    assert [gap.what for gap in found.gaps] == ["failures"]


def test_a_program_is_handed_over_once_and_forgotten():
    window = Window(Journal(Ledger()), [], lambda: [window], whole=False)
    window.keep("p", b"data")
    assert not window.wants("p")
    assert window.batch(ENVIRONMENT, final=False).programs == (("p", b"data"),)
    assert window.programs == {}
    assert not window.wants("p")


def test_programs_beyond_the_limit_are_a_gap(monkeypatch):
    monkeypatch.setattr(whyjit.observe.window, "PROGRAM_BYTES_KEPT", 2_000_000)
    window = Window(Journal(Ledger()), [], lambda: [window], whole=False)
    for key in "abc":
        if window.wants(key):
            window.keep(key, b"x" * 1_500_000)
    found = window.batch(ENVIRONMENT, final=True)
    assert [key for key, _ in found.programs] == ["a", "b"]
    assert [gap.what for gap in found.gaps] == ["programs"]


def test_the_first_and_the_newest_rows_stay(tmp_path):
    writer = Writer.create(tmp_path, samples.environment(), rows=100)
    for start in range(1, 1001, 10):
        rows = tuple(samples.row(order, count=2) for order in range(start, start + 10))
        writer.write(samples.batch(functions=(samples.STEP,), specializations=(samples.specialization(1),), rows=rows))
    writer.close()
    orders = [row.order for row in reader.rows(tmp_path, 1)]
    assert orders[:10] == list(range(1, 11))
    assert orders[-1] == 1000
    assert orders[10:] == list(range(orders[10], 1001))
    assert 100 <= len(orders) <= 110
    (gap,) = reader.load(tmp_path).gaps
    assert f"{1000 - len(orders):,} rows ({2 * (1000 - len(orders)):,} calls)" in gap.reason
