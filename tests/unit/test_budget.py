"""Budgets, baselines and expectations against runs made by hand."""

import analyse_builders as make
import pytest
from msgspec import structs

from whyjit.analyse import baseline, expectation
from whyjit.analyse.budget import check, first_calls
from whyjit.analyse.explain import explain
from whyjit.model.budget import Budget, Known, Limits
from whyjit.model.recording import Environment, Function, Gap, Recording, Row, Stage
from whyjit.model.source import Location

ENVIRONMENT = Environment("3.11", "0.10.2", "0.10.2", "cpu", directory="/home/me/project")
STEP = Function(1, "step", "Model.step", "/home/me/project/train.py", 3, "user")
LIBRARY = Function(2, "where", "where", "/lib/site-packages/jax/where.py", 5, "library")


def spec(number, size, *, function=1, site=None, **more):
    """A specialization for a size, made at a moment of its own."""
    found = make.spec(number, make.leaf("x", size), started=float(number), **more)
    stages = tuple(structs.replace(stage, start=float(number)) for stage in found.stages)
    return structs.replace(found, function=function, stages=stages, call_site=site or make.SITE)


def report(*specs, complete=True, gaps=()):
    return explain(Recording(ENVIRONMENT, gaps, (STEP, LIBRARY), specs, complete=complete))


THREE = (spec(1, 3, calls=50), spec(2, 4), spec(3, 5, site=Location("/home/me/project/train.py", 31, "main")))


def limits(**values):
    return Budget(Limits(**values))


def of(pattern, **values):
    return Budget(functions=((pattern, Limits(**values)),))


def test_a_run_within_its_limits_keeps_them():
    verdict = check(report(*THREE), limits(max_traces=3, max_compiles=3, max_compile_s=0.31), None)
    assert verdict.kept
    assert verdict.checked == 3
    assert verdict.notes == verdict.unjudged == ()


def test_the_trace_that_is_one_too_many_is_named_with_its_cause_and_remedy():
    (breach,) = check(report(*THREE), limits(max_traces=2), None).breaches
    assert (breach.limit, breach.allowed, breach.found, breach.number) == ("max_traces", 2, 3, 3)
    assert breach.call_site == Location("/home/me/project/train.py", 31, "main")
    assert breach.text == (
        "the run traced 3 times, 2 are allowed (max_traces);"
        " `step` called at train.py:31 broke it: `x` changed from f32[4] to f32[5]"
    )
    assert "pad" in breach.remedy


def test_a_pattern_fits_names_and_qualified_names_and_holds_each_function_by_itself():
    specs = (*THREE, spec(1, 3, function=2), spec(2, 4, function=2))
    for pattern in ("step", "st*", "Model.*", "*.step"):
        (breach,) = check(report(*specs), of(pattern, max_compiles=2), None).breaches
        assert (breach.function, breach.where, breach.number) == ("step", pattern, 3)
    assert check(report(*specs), of("*", max_compiles=3), None).kept
    assert len(check(report(*specs), of("*", max_compiles=1), None).breaches) == 2


def test_a_pattern_that_fits_nothing_is_said():
    verdict = check(report(*THREE), of("stepp", max_traces=1), None)
    assert verdict.kept
    assert verdict.checked == 0
    assert "stepp" in verdict.notes[0]


def test_seconds_name_the_specialization_that_crossed_the_limit():
    (breach,) = check(report(*THREE), of("step", max_compile_s=0.15), None).breaches
    assert breach.number == 2
    assert breach.found == pytest.approx(0.3)


def test_only_the_same_program_is_needless():
    same = make.program("p")
    needless = (spec(1, 3, fingerprint=same), spec(2, 4), spec(3, 5, fingerprint=same, maker=2))
    assert check(report(*needless), limits(max_needless_retraces=0), None).kept
    again = (spec(1, 3, fingerprint=same), spec(2, 3, fingerprint=same, maker=2))
    (breach,) = check(report(*again), limits(max_needless_retraces=0), None).breaches
    assert breach.number == 2
    assert "needlessly once" in breach.text


def test_compiles_without_a_function_count_against_the_total_without_a_call_to_blame():
    lost = (Stage("compile", 0.0, 0.1, 0.1),) * 3
    whole = explain(Recording(ENVIRONMENT, (), (STEP,), THREE[:1], unattributed=lost))
    (breach,) = check(whole, limits(max_compiles=2), None).breaches
    assert (breach.found, breach.number, breach.call_site) == (4, None, None)


def rows(*entries):
    each = [(number, event, count) for number, event, count in entries]
    return [Row(at, 1, number, event, make.SITE, count, 0.0, 1, 1) for at, (number, event, count) in enumerate(each, 1)]


def test_the_call_of_each_specialization_is_found_in_the_rows():
    ledger = rows((1, "new", 1), (1, "hit", 49), (2, "new", 1), (1, "hit", 3), (3, "new", 1))
    nested = Row(9, 1, 7, "new", make.SITE, 5, 0.0, 1, 1, nested=True)
    assert first_calls([nested, *ledger]) == {1: 1, 2: 51, 3: 55}


def test_a_new_specialization_after_the_warm_up_breaks_the_limit():
    calls = {1: 1, 2: 51, 3: 55}
    budget = of("step", warm_after_call=50)
    (breach,) = check(report(*THREE), budget, lambda function: calls if function == 1 else {}).breaches
    assert (breach.number, breach.found) == (2, 51)
    assert "and 1 more after it" in breach.text
    assert check(report(*THREE), of("step", warm_after_call=55), lambda _: calls).kept


def test_without_calls_the_warm_up_is_not_judged_and_not_kept_silently():
    verdict = check(report(*THREE), of("step", warm_after_call=50), None)
    assert verdict.breaches == ()
    assert "warm_after_call" in verdict.unjudged[0]


def test_an_unfinished_recording_is_said():
    assert "last batch" in check(report(*THREE, complete=False, gaps=(Gap("a", "b"),)), limits(), None).notes[0]


# Baselines.


def test_a_baseline_takes_the_users_functions_by_file_and_qualified_name():
    specs = (*THREE, spec(1, 3, function=2))
    assert baseline.counts(report(*specs)) == (Known("train.py:Model.step", 3, 3, 0),)


def test_what_was_accepted_is_no_breach_and_one_more_is():
    known = (Known("train.py:Model.step", 3, 3, 0),)
    assert baseline.compare(report(*THREE), known, "b.toml").kept
    fewer = baseline.compare(report(*THREE[:2]), known, "b.toml")
    assert fewer.kept
    assert "traced twice in place of 3" in fewer.notes[0]
    verdict = baseline.compare(report(*THREE, spec(4, 6)), known, "b.toml")
    assert [(breach.limit, breach.number) for breach in verdict.breaches] == [("traces", 4), ("compiles", 4)]
    assert "--baseline b.toml --update" in verdict.breaches[0].remedy


def test_a_function_that_is_new_may_be_made_once():
    assert baseline.compare(report(*THREE[:1]), (), "b.toml").kept
    verdict = baseline.compare(report(*THREE[:2]), (), "b.toml")
    assert [breach.limit for breach in verdict.breaches] == ["traces", "compiles"]
    assert "not in the baseline" in verdict.breaches[0].text


def test_a_function_that_is_gone_is_named():
    verdict = baseline.compare(report(*THREE), (Known("a.py:f", 1, 1), Known("train.py:Model.step", 3, 3)), "b.toml")
    assert verdict.kept
    assert "a.py:f" in verdict.notes[0]


# Expectations.


@pytest.mark.parametrize("bounds", [(3, 3), (None, 3), (0, 4), (2, None)])
def test_counts_within_their_bounds_are_as_expected(bounds):
    assert expectation.compare(report(*THREE), bounds, bounds, "step") == ()


def test_too_many_names_the_first_call_too_many():
    (breach,) = expectation.compare(report(*THREE), (1, 1), None, "step")
    assert breach.text.startswith("`step` was traced 3 times, expected 1; `step` called at train.py:7 broke it")
    assert breach.number == 2


def test_without_a_pattern_libraries_do_not_count():
    specs = (spec(1, 3), spec(1, 3, function=2))
    assert expectation.compare(report(*specs), (1, 1), (1, 1), None) == ()
    assert expectation.compare(report(*specs), (2, 2), (2, 2), "*") == ()


def test_too_few_says_what_may_be_the_reason():
    (breach,) = expectation.compare(report(*THREE), None, (1, 1), "stepp")
    assert breach.text == "`stepp` was never compiled, expected 1"
    assert "step" in breach.remedy
    (breach,) = expectation.compare(report(*THREE), (4, None), None, "step")
    assert breach.text == "`step` was traced 3 times, expected at least 4"
    assert "before this block" in breach.remedy
