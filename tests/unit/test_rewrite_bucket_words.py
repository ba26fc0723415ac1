"""What advice on buckets says, and when it must not be more than a suggestion."""

import pytest
from analyse_builders import leaf, report, spec

from whyjit.analyse.buckets import Costs, Fit, bill, plan
from whyjit.model.padding import Leak, Safety
from whyjit.rewrite.buckets import families, words
from whyjit.rewrite.buckets.trial import Verified

COSTS = Costs(Fit((0.5, 0.01), 0.04, (3, 9)), Fit((0.0, 1e-4), 0.1, (3, 9)))
SAFE = Safety("safe", gradients="equal", tried=((3, 9), (5, 9), (9, 9)))


def family(*extra, sizes=(3, 5, 9)):
    return families.family_of(report(*(spec(n, leaf("x", n), calls=4) for n in sizes), *extra))


def test_the_plan_is_told_with_its_costs_and_measurements():
    chosen = plan(family().counts, COSTS)
    assert words.plan(family(), COSTS, chosen) == (
        "One bucket of 9 costs least for the 12 calls of 3 sizes from 3 to 9: 0.59 s compiling + 0.011 s running;"
        " without buckets 1.7 s compiling + 0.0068 s running, powers of two 1.8 s compiling + 0.011 s running."
        " Measured here at 3, 9: compile(n) = 0.5 + 0.01 n, run(n) = 0.0001 n seconds, off by 4% and 10% at most."
        " Buckets for one half of the calls cost 0% more than the best on the other"
    )


def test_the_evidence_is_told():
    told = words.evidence(Verified(SAFE, added_s=2e-4), kept=True, missing=[])
    assert told == (
        "Results at 3 sizes were the same whatever the padding held (0, +-1e4 or more, and random values); gradients"
        " were equal. Padding and cropping on the host add 0.2 ms to a call"
    )
    masked = Safety("masked", masks=("m",), spreads_nan=True, gradient_note="it has none", tried=((3, 9),))
    told = words.evidence(Verified(masked), kept=False, missing=[5, 9])
    for part in (
        "Results at 1 size",
        "`m` padded with False or 0",
        "not compared: it has none",
        "A NaN",
        "--keep-arguments",
    ):
        assert part in told
    assert "2 recorded programs (sizes 5, 9) were not tried" in told


def refused(found, some=None, chosen=(9,), has_patch=True, spared=10.0):
    some = family() if some is None else some
    return words.refusal(found, some, bill(chosen, some.counts, COSTS), has_patch=has_patch, spared=spared)


def test_a_safe_function_is_not_refused():
    assert refused(Verified(SAFE)) == ""


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Verified(Safety("untold", note="it is random")), "padding was not tried: it is random"),
        (Verified(Safety("leaks", (Leak("output", "shape", "axis 0 halves"),))), "not pad-safe: axis 0 halves"),
        (Verified(Safety("leaks", (Leak("output[1]", "size", "differs"),))), "the padding reaches `output[1]`"),
        (Verified(Safety("zeros", (Leak("output", "content", "changes"),))), "right with zeros in the padding"),
        (Verified(Safety("safe", gradients="differ", gradient_note="`w` is NaN")), "gradients do not: `w` is NaN"),
        (Verified(SAFE, fault="NameError"), "the changed program failed: NameError"),
        (Verified(SAFE, wrong="size 3: values"), "gives another result at size 3: values"),
        (Verified(SAFE, added_s=1.0), "would take 12 s, more than the 10 s that it spares"),
    ],
)
def test_what_is_refused_has_its_reason(found, reason):
    assert reason in refused(found)


def test_no_patch_no_other_axes_and_no_calls_of_other_kinds():
    assert "no single jit" in refused(Verified(SAFE), has_patch=False)
    both = families.family_of(report(*(spec(n, leaf("x", n), leaf("y", n + 1)) for n in (3, 5, 9))))
    assert "axis 0 of `y` vary as well" in refused(Verified(SAFE), both)
    assert "would also meet 1 recorded program " in refused(Verified(SAFE), family(spec(20, leaf("z", 3))))
