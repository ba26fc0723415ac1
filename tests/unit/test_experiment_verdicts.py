"""Verdicts from the results of arms."""

import pytest
from experiment_builders import CONTROL, result

from whyjit.experiment.verdicts import verdicts


def verdict(*results, control=CONTROL):
    (found,) = verdicts([control, *results])
    return found


@pytest.mark.parametrize(
    ("arm", "word"),
    [
        (result(traced=False, delta="identical"), "ignored"),
        (result(delta="identical"), "retraces but decides nothing"),
        (result(delta="literals"), "only a literal"),
        (result(delta="shapes"), "only sizes"),
        (result(delta="dtypes"), "only types"),
        (result(delta="structure"), "decides the program"),
        (result(delta=None, note="why"), "unknown"),
        (result(error="TypeError: no"), "not allowed"),
        (result(traced=None, error="timed out after 3 s"), "unknown"),
    ],
)
def test_one_arm_gives_its_word(arm, word):
    assert verdict(arm).verdict == word


def test_the_most_telling_arm_speaks_and_failures_are_added():
    found = verdict(
        result(new="b", delta="identical"), result(new="c", delta="structure"), result(new="d", error="TypeError: no")
    )
    assert (found.verdict, found.why) == ("decides the program", "with c; d fails: TypeError: no")


def test_a_guess_that_fails_forbids_nothing():
    found = verdict(result(new="3", error="TypeError: no", guess=True))
    assert (found.verdict, found.why) == ("unknown", "3 was a guess, and fails: TypeError: no; give a value to try")


def test_nothing_is_concluded_where_the_call_itself_fails_or_retraces():
    failing = result("control", None, error="TypeError: no")
    assert verdict(result(delta="structure"), control=failing).verdict == "unknown"
    retraced = result("control", None, traced=True, delta="identical")
    assert verdict(result(delta="identical"), control=retraced).verdict == "unknown"
    assert verdict(result(delta="structure"), control=retraced).verdict == "decides the program"


def test_a_lost_arm_is_no_prohibition():
    found = verdict(result(new="b", error="TypeError: no"), result(new="c", traced=None, error="killed by signal 9"))
    assert (found.verdict, found.why) == ("unknown", "killed by signal 9")


def test_factors_are_judged_one_by_one():
    found = verdicts([CONTROL, result(path="a", delta="literals"), result("shape", "x", delta="shapes")])
    assert [(one.kind, one.path, one.verdict) for one in found] == [
        ("static", "a", "only a literal"),
        ("shape", "x", "only sizes"),
    ]
