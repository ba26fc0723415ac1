"""The suite of static arguments: every answer as expected, and no wrong change accepted."""

import functools
import subprocess

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
from advice_suite import statics
from advice_suite.trying import advised, outcome

import whyjit
from whyjit.rewrite.advisers import Limits

OURS = ("whyjit.rewrite.statics.propose", "whyjit.rewrite.statics.concrete")
# What must hold on every change of the code: a few of each part, and those that fooled simpler ways of telling.
QUICK = {
    *("a factor, float", "captured by a scan", "a text that nothing reads", "by number, jitted elsewhere"),
    *("whole numbers that wrap", "cancellation", "isinstance", "the bound of a fori_loop", "math.sqrt"),
    *("the result's dtype", "an if", "a print in the body", "made inside another function"),
}


def check(case, folder):
    found = advised(case, folder, advisers=OURS)
    assert found.faults == ()
    item, became = outcome(case, found.items)
    assert became == case.expected, found.items
    assert not (case.wrong and became in {"PROVEN", "TESTED"})
    if item is not None:
        assert case.because in item.why
        if case.expected == "REJECTED":
            assert item.patch is None
            assert item.after is None


@pytest.mark.parametrize("case", [case for case in statics.CASES if case.name in QUICK], ids=lambda case: case.name)
def test_a_few_of_each_part(case, tmp_path):
    check(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in statics.CASES if case.name not in QUICK], ids=lambda case: case.name)
def test_the_whole_suite(case, tmp_path):
    check(case, tmp_path)


def test_the_suite_is_large_enough_and_holds_wrong_ones():
    assert len({(case.kind, case.name) for case in statics.CASES}) == len(statics.CASES) >= 75
    assert sum(case.wrong for case in statics.CASES) >= 10
    assert not [case.name for case in statics.CASES if case.wrong and case.expected in {"PROVEN", "TESTED"}]


@functools.partial(jax.jit, static_argnames="rate")
def step(w, rate):
    return w - rate * w


def test_advice_on_a_function_and_calls_is_proven_in_a_process_of_its_own():
    w = jnp.ones(3)
    (item,) = whyjit.advise(step, calls=[((w,), {"rate": rate}) for rate in (0.1, 0.2, 0.3)])
    assert (item.function, item.path, item.kind, item.evidence) == ("step", "rate", "make-dynamic", "PROVEN")
    assert (item.before.traces, item.after.traces) == (3, 1)
    assert item.tested == ("0.1", "0.2", "0.3")
    assert '-@functools.partial(jax.jit, static_argnames="rate")\n+@jax.jit' in item.patch


def make_decayed(scale):
    """A factory: what it makes is known by no module."""

    @functools.partial(jax.jit, static_argnames="rate")
    def decayed(w, rate):
        return w - rate * scale * w

    return decayed


def test_advice_on_a_closure_is_proven_in_a_process_of_its_own():
    w = jnp.ones(3)
    decayed = make_decayed(jnp.arange(3.0))
    (item,) = whyjit.advise(decayed, calls=[((w,), {"rate": rate}) for rate in (0.1, 0.2, 0.3)])
    assert (item.function, item.path, item.kind, item.evidence) == ("decayed", "rate", "make-dynamic", "PROVEN")
    assert (item.before.traces, item.after.traces) == (3, 1)
    assert '-    @functools.partial(jax.jit, static_argnames="rate")\n+    @jax.jit' in item.patch


def test_the_patch_does_what_was_promised(tmp_path):
    case = next(case for case in statics.CASES if case.name == "one of two")
    (item,) = (item for item in advised(case, tmp_path, advisers=OURS).items if item.path == "s")
    (file,) = tmp_path.glob("suite_*.py")
    assert item.patch.startswith(f"--- a/{file.name}\n+++ b/{file.name}\n")
    (tmp_path / "change.patch").write_text(item.patch)
    subprocess.run(["git", "apply", "change.patch"], cwd=tmp_path, check=True)
    assert "static_argnames=('mode',)" in file.read_text()


def test_a_process_that_takes_too_long_leaves_a_suggestion():
    calls = [((jnp.ones(3),), {"rate": rate}) for rate in (1, 2)]
    (item,) = whyjit.advise(step, calls=calls, limits=Limits(seconds=0.01))
    assert item.evidence == "SUGGESTED"
    assert "timed out" in item.why


def test_an_error_of_the_calls_own_is_raised():
    def broken(x):
        raise LookupError(x)

    with pytest.raises(LookupError):
        whyjit.advise(broken, calls=[((1,), {})])
