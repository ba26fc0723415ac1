"""What the lesson says of its programs is what they do here."""

import pytest

pytest.importorskip("jax")

from whyjit.lesson import running, source
from whyjit.lesson.model import Prediction, Program

pytestmark = pytest.mark.e2e

PARTS = {step.name: part for part in source.parts() for step in part.steps if isinstance(step, Program)}


def run(name, *ledgers):
    program = PARTS[name].program(name)
    if program.needs:
        pytest.importorskip(program.needs)
    ran = running.run(program, ledgers)
    for one in ran:
        assert (one.ended.status != 0) == bool(program.fails), one.ended.errors
        assert program.fails in one.ended.errors
        assert all(answer.strip() for answer in one.answers.values())
    return ran


def function(ran, name):
    return next(each for each in ran.report["functions"] if each["name"] == name and each["origin"] == "user")


def deltas(ran, name):
    return [each["program"]["delta"] for each in function(ran, name)["specializations"]]


def test_the_wall():
    (ran,) = run("wall")
    (failure,) = ran.report["failures"]
    assert (failure["code"], failure["expression"]) == ("branch-on-value", "length > longest")
    assert "branch-on-value" in ran.ended.errors


def test_roles():
    (ran,) = run("roles")
    assert "offset" in ran.ended.output


def test_the_predicted_rows_are_as_the_reasoning_says():
    asked = next(step for step in PARTS["rows"].steps if isinstance(step, Prediction))
    (ran,) = run("rows", asked.function)
    assert ran.ledgers[asked.function] == [1, 1, 2, 2, 3, 3]
    assert len(asked.calls) == 6


def test_a_committed_argument_compiles_without_a_trace():
    (ran,) = run("committed")
    double = function(ran, "double")
    assert (double["traces"], double["compiles"]) == (1, 2)
    assert double["specializations"][1]["cause"]["kind"] == "sharding"


def test_each_process_traces_for_itself():
    assert [function(ran, "double")["traces"] for ran in run("again")] == [1, 1]


def test_the_deltas_of_a_literal_and_of_nothing():
    (ran,) = run("delta")
    assert deltas(ran, "scaled_sum") == [None, "literals", "identical"]


def test_where_computes_both_candidates():
    (ran,) = run("forms")
    where, rest = ran.ended.output.split("cond:")
    assert where.index("sqrt") < where.index("select_n")
    assert "branches=" in rest


def test_the_schedule_is_proven_to_be_data():
    (ran,) = run("schedule")
    step = function(ran, "step")
    assert step["traces"] == 8
    assert {finding["code"] for finding in step["findings"]} == {"static-is-data"}
    assert "make-dynamic" in ran.answers["advise"]


@pytest.mark.slow
def test_the_training_goes_from_forty_traces_to_two():
    traces, said = [], []
    for name in ("digits", "digits_fixed"):
        (ran,) = run(name)
        traces.append(function(ran, "train_step")["traces"])
        said.append(ran.ended.output)
    assert traces == [40, 2]
    assert said[0][:14] == said[1][:14]  # the accuracy, to two digits
