"""Advice of the kind `bucket`, from a recording to the patch: every answer as expected, and no wrong one accepted."""

import pytest

pytest.importorskip("jax")

from advice_suite.buckets import CASES
from advice_suite.trying import advised, outcome

OURS = ("whyjit.rewrite.buckets.propose",)
# What must hold on every change of the code; the trial of padding itself is tested with the whole suite elsewhere.
QUICK = {"a static beside it", "masked mean", "right results, wrong gradients", "two sizes"}


def check(case, folder):
    found = advised(case, folder, advisers=OURS)
    assert found.faults == ()
    item, became = outcome(case, found.items)
    assert became == case.expected, found.items
    if item is None:
        return
    assert case.because in item.why
    assert item.path == case.path
    assert item.tested == ("3", "5", "6", "7")
    assert item.before.traces == 4
    if case.expected == "PROVEN":
        assert item.after.traces == 2  # that of the bucket, and one to learn the outputs' axes
        assert "+@whyjit.bucketed(axis={" in item.patch
        assert "+import whyjit" in item.patch
    else:
        assert (item.after, item.patch) == (None, None)
        assert "whyjit.bucketed(f, axis={" in item.code


@pytest.mark.parametrize("case", [case for case in CASES if case.name in QUICK], ids=lambda case: case.name)
def test_a_few(case, tmp_path):
    check(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case.name not in QUICK], ids=lambda case: case.name)
def test_the_whole_suite(case, tmp_path):
    check(case, tmp_path)


def test_the_suite_is_large_enough_and_holds_wrong_ones():
    assert len({case.name for case in CASES}) == len(CASES) >= 45
    assert sum(case.wrong for case in CASES) >= 20
