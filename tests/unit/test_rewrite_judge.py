"""From what a trial found to a level and a sentence."""

import msgspec
import pytest

from whyjit.model.trial import Point, Refusal, Trial
from whyjit.rewrite.statics.judge import Circumstances, judge, obstacle

EQUAL = tuple(Point(value, "equal") for value in ("0.1", "0.2", "0.3"))
GOOD = Trial(
    programs="constants",
    points=EQUAL,
    traces=3,
    traced=(True, False, False),
    outputs="",
    gradients="",
    compared=3,
)
ABOUT = Circumstances(("s",), True, 30, 1.0)


def but(**fields):
    return msgspec.structs.replace(GOOD, **fields)


def at(**fields):
    return but(points=(*EQUAL[:2], msgspec.structs.replace(Point("0.3", "constants"), **fields)))


def test_equal_programs_outputs_and_gradients_are_a_proof():
    verdict = judge(GOOD, ABOUT)
    assert (verdict.evidence, verdict.kind, verdict.fit) == ("PROVEN", "make-dynamic", True)
    assert "at each of the 3 recorded values" in verdict.why
    assert "traced once instead of 3 times" in verdict.why


def test_a_program_that_never_changes_drops_the_static():
    verdict = judge(but(programs="equal"), ABOUT)
    assert (verdict.evidence, verdict.kind) == ("PROVEN", "drop-static")


def test_one_value_again_and_again_is_no_other_value():
    about = ABOUT._replace(several=False)
    assert judge(but(programs="equal"), about).kind == "make-dynamic"


@pytest.mark.parametrize(
    ("about", "said"),
    [
        (ABOUT._replace(kept=False), "made-up arrays"),
        (ABOUT._replace(everything=False), "a part of the recorded"),
    ],
)
def test_less_than_everything_is_tested_at_most(about, said):
    verdict = judge(GOOD, about)
    assert verdict.evidence == "TESTED"
    assert said in verdict.why


def test_without_gradients_it_is_tested_at_most():
    verdict = judge(but(gradients="not run"), ABOUT)
    assert verdict.evidence == "TESTED"
    assert "the time was up" in verdict.why


def test_other_settings_than_recorded_are_tested_at_most():
    verdict = judge(but(surroundings=("jax_enable_x64",)), ABOUT)
    assert verdict.evidence == "TESTED"
    assert "jax_enable_x64" in verdict.why


@pytest.mark.parametrize(
    ("trial", "said"),
    [
        (at(old="1e-08", new="0"), "would use 0 where it now has 1e-08"),
        (at(overflow=True), "too large"),
        (at(types="the result's type changes from bfloat16[] to float32[]"), "bfloat16"),
        (at(sameness="different"), "another one"),
        (but(outputs="values of the result differ by up to 1"), "differ by up to 1"),
        (but(outputs="not run"), "not run"),
        (but(gradients="lost: ValueError: Reverse-mode"), "the gradient is lost"),
        (but(gradients="the gradient differs: values"), "the gradient differs"),
    ],
)
def test_anything_that_speaks_against_it_rejects(trial, said):
    verdict = judge(trial, ABOUT)
    assert (verdict.evidence, verdict.fit) == ("SUGGESTED", False)
    assert verdict.why.startswith("tried and rejected: ")
    assert said in verdict.why


def test_a_program_inside_that_was_not_looked_into_is_no_proof():
    verdict = judge(at(sameness="different", opaque=("pallas_call",)), ABOUT)
    assert verdict.evidence == "TESTED"
    assert "pallas_call" in verdict.why


def test_a_value_that_python_needs_can_be_computed_before_the_call():
    refusal = Refusal("ConcretizationTypeError", "", "math.sqrt(s)", 7)
    verdict = judge(but(refusal=refusal), ABOUT)
    assert (verdict.evidence, verdict.hoist) == ("SUGGESTED", "math.sqrt(s)")
    assert judge(but(refusal=refusal, programs="different"), ABOUT) is None


def test_other_programs_are_worth_a_word_from_three_values_on():
    points = tuple(Point(value, "different", only_old=("integer_pow",), only_new=("pow",)) for value in "234")
    verdict = judge(but(programs="different", points=points), ABOUT)
    assert (verdict.evidence, verdict.fit) == ("SUGGESTED", False)
    assert "another program" in verdict.why
    assert "a choice" in verdict.why
    lost = judge(but(programs="different", points=points, gradients="lost: ValueError"), ABOUT)
    assert lost.why.startswith("tried and rejected")
    assert lost.code == ""
    assert judge(but(programs="different", points=points[:2]), ABOUT) is None


def test_slower_calls_than_the_traces_are_worth_are_not_advised():
    verdict = judge(but(seconds=(1e-3, 3e-3)), ABOUT._replace(calls=10**6))
    assert (verdict.evidence, verdict.fit) == ("SUGGESTED", False)
    assert judge(but(seconds=(1e-3, 3e-3)), ABOUT._replace(calls=10)).evidence == "PROVEN"


def test_what_could_not_be_tried_says_why():
    assert obstacle(Trial(failed="it does not load")) == "it does not load"
    assert "effects" in obstacle(Trial(effects="debug_callback"))
    assert obstacle(Trial(unstable="two programs")) == "two programs"
    assert obstacle(GOOD) == ""
