"""The best buckets, against all sets of buckets there are."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whyjit.analyse.buckets import Costs, Fit, bill, choose, fit, held_out, plan, powers_of_two, rounded


def costs(compile_at=(1.0,), run=(0.0, 1e-3)):
    return Costs(Fit(tuple(compile_at)), Fit(tuple(run)))


def priced(buckets, counts, compile_at, run):
    """The cost of a set of buckets, every one of them compiled, from the definition."""
    total = sum(sum(c * b**k for k, c in enumerate(compile_at)) for b in buckets)
    for size, count in counts.items():
        bucket = min(b for b in buckets if b >= size)
        total += count * sum(c * bucket**k for k, c in enumerate(run))
    return total


coefficient = st.sampled_from([0.0, 1e-3, 0.02, 0.3, 1.0, 7.0])


@given(
    counts=st.dictionaries(st.integers(0, 14), st.integers(1, 30), min_size=1, max_size=8),
    compile_at=st.tuples(coefficient, coefficient),
    run=st.tuples(coefficient, coefficient, coefficient),
    grid=st.sampled_from([1, 2, 4]),
)
@settings(max_examples=80, deadline=None)
def test_no_set_of_buckets_is_cheaper(counts, compile_at, run, grid):
    """Every set of multiples of the grid that holds the largest size, observed or not, is tried."""
    found = plan(counts, costs(compile_at, run), grid)
    top = rounded(max(counts), grid)
    possible = range(grid, top, grid)
    least = min(
        priced((*some, top), counts, compile_at, run)
        for size in range(len(possible) + 1)
        for some in itertools.combinations(possible, size)
    )
    assert priced(found.sizes, counts, compile_at, run) == pytest.approx(least)
    assert found.seconds == pytest.approx(least)
    assert all(size % grid == 0 for size in found.sizes)


def test_dear_compiles_make_one_bucket_and_free_ones_make_no_padding():
    counts = dict.fromkeys(range(1, 50), 3)
    assert plan(counts, costs((1e6,))).sizes == (49,)
    assert plan(counts, costs((0.0,))).sizes == tuple(range(1, 50))


def test_a_thousand_sizes_are_planned_better_than_the_usual_ways():
    random = np.random.default_rng(0)
    lengths = np.clip(random.lognormal(5, 0.8, 20000).astype(int), 4, 4096)
    counts = {int(size): int(count) for size, count in zip(*np.unique(lengths, return_counts=True), strict=True)}
    model = costs((1.5,), (0.0, 2e-6, 4e-9))
    best = plan(counts, model)
    assert best.seconds < powers_of_two(counts, model).seconds
    assert best.seconds < bill([max(counts)], counts, model).seconds
    assert best.seconds < bill(list(counts), counts, model).seconds / 10


def test_the_bill_counts_only_what_is_used_and_takes_sizes_above_as_they_are():
    made = bill([8, 16, 99], {3: 2, 16: 1, 120: 5}, costs((1.0,), (1.0,)))
    assert made.sizes == (8, 16, 120)
    assert made.compile_s == pytest.approx(3)
    assert made.run_s == pytest.approx(8)


def test_the_coarsest_grid_that_costs_next_to_nothing_is_taken():
    wide = {1000: 10, 1010: 10, 2000: 10}
    assert choose(wide, costs((1.0,), (1e-3,))).grid == 128
    compile_s = Fit((0.0, 0.01))
    tall = {900: 1, 968: 1}
    assert choose(tall, Costs(compile_s, Fit((1e-6,)))).grid == 8
    assert choose({900: 1, 970: 1}, Costs(compile_s, Fit((1e-6,)))).grid == 8
    loose = Costs(Fit((0.0, 0.01), error=0.3), Fit((1e-6,)))
    assert choose({900: 1, 970: 1}, loose).grid == 128
    narrow = {3: 1000, 5: 1000}
    assert choose(narrow, costs((1e-6,), (0.0, 1.0))).grid == 1


def test_buckets_of_one_half_are_judged_on_the_other():
    counts = dict.fromkeys(range(1, 101), 40)
    model = costs((1.0,), (0.0, 1e-3))
    made = held_out(counts, model)
    assert made.calls == 2000
    assert made.excess < 0.05
    assert held_out({5: 1}, model).calls == 0
    alone = held_out({10: 50, 1000: 1}, model, seed=4)
    assert {alone.beyond, held_out({10: 50, 1000: 1}, model, seed=5).beyond} <= {0, 1}


@given(
    st.tuples(*[st.floats(1e-6, 10)] * 3),
    st.lists(st.integers(1, 5000), min_size=3, max_size=6, unique=True),
)
@settings(max_examples=40, deadline=None)
def test_a_fit_finds_the_polynomial_that_was_measured(coefficients, sizes):
    measured = {n: sum(c * n**k for k, c in enumerate(coefficients)) for n in sizes}
    found = fit(measured, 2)
    assert found.error < 1e-4
    assert [found(n) for n in sizes] == pytest.approx([measured[n] for n in sizes], rel=1e-4)


def test_a_fit_never_falls_as_the_size_grows():
    found = fit({10: 3.0, 20: 2.0, 40: 1.0}, 2)
    assert min(found.coefficients) >= 0
    assert found(10) <= found(40)
    assert found.error > 0.2


def test_a_fit_has_no_more_terms_than_measurements():
    assert fit({7: 2.0}, 2)(7) == pytest.approx(2.0)
    with pytest.raises(ValueError, match="above zero"):
        fit({7: 0.0}, 1)
