"""What became of counts, causes, findings and errors between two recordings."""

import msgspec
import present_samples as samples
import pytest
from present_builders import environment, report

from whyjit.analyse.compare import compare
from whyjit.model.finding import Finding


def fixed():
    """The digits example with its faults mended: the first specialization of each function, and no finding."""
    whole = samples.digits().report
    functions = [
        samples.function_report(each.function, each.specializations[:1], calls=each.calls) for each in whole.functions
    ]
    return report(functions, 3.0, environment=environment(argv=("digits.py", "--fixed")))


def by_name(comparison):
    return {shift.known.function.name: shift for shift in comparison.functions}


def test_a_recording_compared_with_itself_is_the_same():
    whole = samples.digits().report
    made = compare(whole, whole)
    assert {shift.state for shift in made.functions} == {"same"}
    assert {finding.state for shift in made.functions for finding in shift.findings} == {"same"}
    assert made.differences == ()
    assert made.before == made.after


def test_causes_and_findings_that_are_gone():
    made = compare(samples.digits().report, fixed())
    step = by_name(made)["train_step"]
    assert step.state == "changed"
    causes = {(each.kind, each.path): each for each in step.causes}
    eta = causes["static", "eta"]
    assert (eta.state, eta.before.traces, eta.before.compiles, eta.after.traces) == ("gone", 38, 38, 0)
    assert eta.before.seconds == pytest.approx(38 * (0.05 + 0.03 + 0.105))
    assert causes["shape", "images"].before.traces == 1
    assert causes["first", None].state == "same"
    assert [(each.code, each.state) for each in step.findings] == [("static-is-data", "gone"), ("shape-churn", "gone")]
    assert (step.counts_before.traces, step.counts_after.traces) == (40, 1)
    assert made.differences == (("command", "digits.py --epochs 20", "digits.py --fixed"),)


def test_the_other_way_round_they_are_new():
    made = compare(fixed(), samples.digits().report)
    step = by_name(made)["train_step"]
    assert {(each.kind, each.path): each.state for each in step.causes} == {
        ("static", "eta"): "new",
        ("shape", "images"): "new",
        ("first", None): "same",
    }
    assert {each.state for each in step.findings} == {"new"}


def test_the_sums_of_causes_are_the_functions_own():
    made = compare(samples.flips().report, samples.churn(50).report)
    for shift in made.functions:
        for side in ("before", "after"):
            whole = getattr(shift, f"counts_{side}")
            parts = [getattr(cause, side) for cause in shift.causes]
            for name in whole.__struct_fields__:
                assert sum(getattr(part, name) for part in parts) == pytest.approx(getattr(whole, name))


def test_what_changed_most_comes_first():
    made = compare(samples.digits().report, fixed())
    moved = [abs(each.counts_after.seconds - each.counts_before.seconds) for each in made.functions]
    changed = [amount for amount, each in zip(moved, made.functions, strict=True) if each.state != "same"]
    assert changed == sorted(changed, reverse=True)
    assert changed == moved[: len(changed)]


def with_finding(text, evidence="SUGGESTED"):
    whole = samples.calm().report
    (only,) = whole.functions
    finding = Finding("eager-ops", None, text, "put them into one jitted function", evidence, 0.5)
    return msgspec.structs.replace(whole, functions=(msgspec.structs.replace(only, findings=(finding,)),))


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("12 operations at this line (a.py:9): 0.32 s", "same"),
        ("12 operations at this line (a.py:11): 1.9 s", "same"),
        ("14 operations at this line (a.py:9): 0.32 s", "changed"),
    ],
)
def test_seconds_and_lines_alone_change_no_finding(text, state):
    made = compare(with_finding("12 operations at this line (a.py:9): 0.32 s"), with_finding(text))
    assert [each.state for each in made.functions[0].findings] == [state]


def test_other_evidence_is_a_change():
    made = compare(with_finding("x"), with_finding("x", "PROVEN"))
    assert [each.state for each in made.functions[0].findings] == ["changed"]


def test_functions_of_one_side_are_gone_or_new():
    made = compare(samples.calm().report, samples.many(3).report)
    states = {shift.known.function.name: (shift.state, shift.match) for shift in made.functions}
    assert states == {"step": ("gone", "none"), **{f"layer_0{at}": ("new", "none") for at in (1, 2, 3)}}


def test_errors_are_matched_by_what_failed_and_not_by_line():
    whole = samples.failed().report
    (failure,) = whole.failures
    moved = msgspec.structs.replace(whole, failures=(msgspec.structs.replace(failure, line=70),))
    assert [each.state for each in compare(whole, moved).failures] == ["same"]
    mended = msgspec.structs.replace(whole, failures=())
    assert [each.state for each in compare(whole, mended).failures] == ["gone"]
    assert [each.state for each in compare(mended, whole).failures] == ["new"]


def test_another_jax_is_named():
    whole = samples.calm().report
    newer = msgspec.structs.replace(whole, environment=environment(jax="0.12.0"))
    assert compare(whole, newer).differences == (("JAX", "0.10.2", "0.12.0"),)
