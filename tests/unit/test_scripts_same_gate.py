"""The comparison of a program with and without whyjit notices whatever differs."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "same_gate.py"


@pytest.fixture(scope="module")
def gate():
    spec = importlib.util.spec_from_file_location("same_gate", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ran(gate, printed="out\n", status=0, errors="", **counts):
    return gate.Ran(printed, status, errors, counts)


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ({"printed": "other\n"}, "printed"),
        ({"status": 1}, "exit status 0, under whyjit 1"),
        ({"errors": "ValueError: y"}, "stderr"),
        ({"bodies": {"step:3": 3}}, "step:3: 2, under whyjit 3"),
        ({"bodies": {"step:3": 2}, "events": {"compile": 1}}, "compile: 0, under whyjit 1"),
        ({"bodies": {}}, "step:3: 2, under whyjit 0"),
    ],
)
def test_a_difference_is_named(gate, recorded, said):
    plain = ran(gate, errors="ValueError: x", bodies={"step:3": 2})
    found = gate.differences(plain, ran(gate, **{"errors": "ValueError: x", "bodies": {"step:3": 2}, **recorded}))
    assert len(found) == 1
    assert said in found[0].text


def test_an_explanation_after_the_traceback_is_no_difference(gate):
    assert not gate.differences(ran(gate, errors="ValueError: x\n"), ran(gate, errors="ValueError: x\nwhyjit: why\n"))


def test_only_flattening_may_run_more_often(gate):
    plain, recorded = {"Box.tree_flatten:4": 3}, {"Box.tree_flatten:4": 5}
    assert not gate.differences(ran(gate, bodies=plain), ran(gate, bodies=recorded))
    assert gate.differences(ran(gate, bodies=recorded), ran(gate, bodies=plain))


def test_what_differs_between_plain_runs_is_chance(gate):
    plain = ran(gate, "1\n", bodies={"Cfg.__eq__:6": 27, "f:9": 1})
    found = gate.differences(plain, ran(gate, "3\n", bodies={"Cfg.__eq__:6": 23, "f:9": 2}))
    # The second plain run happens to be as the first one.
    again = iter([plain, ran(gate, "2\n", bodies={"Cfg.__eq__:6": 24, "f:9": 1}), *[plain] * gate.MORE_RUNS])
    assert [each.name for each in found] == ["", "Cfg.__eq__:6", "f:9"]
    assert [each.text for each in gate.not_by_chance(found, plain, again.__next__)] == ["f:9: 1, under whyjit 2"]
