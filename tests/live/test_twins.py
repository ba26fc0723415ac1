"""Zero with the other sign as a static value: seen on the fast path and at the door, and counted."""

from __future__ import annotations

from functools import partial

import jax
import numpy as np
import pytest

import whyjit

X = np.ones((), np.float32)


def stale(recorded):
    return [(read.path, read.old, read.new, read.calls_since) for read in recorded.recording().stale]


def divided():
    return partial(jax.jit, static_argnames="by")(lambda x, by: x / by)


@pytest.mark.parametrize(("first", "then"), [(0.0, -0.0), (-0.0, 0.0)])
def test_on_the_fast_path(first, then):
    divide = divided()
    with whyjit.record() as recorded:
        answers = [float(divide(X, by=by)) for by in (first, then, then, first)]
    assert len(set(answers)) == 1  # the truth: all four ran the first one's program
    assert stale(recorded) == [("by", str(first), str(then), 2)]


def test_among_several_specializations():
    divide = divided()
    with whyjit.record() as recorded:
        for by in (0.0, 2.0, -0.0, 2.0, -0.0):
            divide(X, by=by)
    assert stale(recorded) == [("by", "0.0", "-0.0", 2)]
    (function,) = [one for one in recorded.report()["functions"] if one["origin"] == "user"]
    assert [spec["calls"] for spec in function["specializations"]] == [3, 2]


def test_where_every_call_comes_by_the_door():
    @partial(jax.jit, static_argnames="by")
    def divide(x, by):
        jax.debug.callback(lambda _: None, x)
        return x / by

    with whyjit.record() as recorded:
        for by in (0.0, -0.0, -0.0):
            divide(X, by=by)
    assert stale(recorded) == [("by", "0.0", "-0.0", 2)]


@pytest.mark.parametrize("values", [((0.0, 1.0), (-0.0, 1.0)), (0j, -0j), (np.float32(0), -np.float32(0))])
def test_other_zeros(values):
    traced = []

    def body(x, by):
        traced.append(by)
        return x + np.sum(by)

    divide = partial(jax.jit, static_argnums=1)(body)
    with whyjit.record() as recorded:
        for by in values:
            divide(X, by)
    assert len(traced) == 1
    assert [read[0] for read in stale(recorded)] == ["by"]


def test_the_same_zero_again_is_nothing():
    divide = divided()
    with whyjit.record() as recorded:
        for _ in range(40):
            divide(X, by=0.0)
        divide(X, by=3.0)
        divide(X, by=4)
    assert stale(recorded) == []
