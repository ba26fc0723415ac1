"""Every function of the suite is padded and poisoned; and what the trial says of a few is read in full."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from advice_suite.buckets import CASES

from whyjit.jaxlink import padding, poisoning
from whyjit.rewrite.buckets import words
from whyjit.rewrite.buckets.bucketed import bucketed
from whyjit.rewrite.buckets.trial import Verified

BUCKET = 8


def captured(case):
    """The suite's function, and the arguments of its calls."""
    space = {}
    exec(compile(case.text, "suite.py", "exec"), space)  # noqa: S102 - a program of the suite
    function, calls = space["f"], []
    space["f"] = lambda *args, **kwargs: calls.append((args, kwargs))
    for call in case.calls:
        eval(call, space)  # noqa: S307 - a call of the suite
    return function, calls


def axes_of(calls):
    """The axes whose size differs between the calls, by leaf path."""
    shapes = []
    for args, kwargs in calls:
        leaves = jax.tree_util.tree_flatten_with_path((args, kwargs))[0]
        shapes.append({jax.tree_util.keystr(path[1:]): np.shape(leaf) for path, leaf in leaves})
    varying = {}
    for path, shape in shapes[0].items():
        found = tuple(a for a in range(len(shape)) if len({other[path][a] for other in shapes}) > 1)
        if found:
            varying[path.replace("[", "args[", 1)] = found
    return varying


@pytest.mark.parametrize("case", [case for case in CASES if case.expected != "NONE"], ids=lambda case: case.name)
def test_suite(case):
    function, calls = captured(case)
    axes = axes_of(calls)
    args, kwargs = calls[1]
    safety = poisoning.examine(function, [(padding.locate((), args, kwargs, axes), BUCKET)], lambda _place: 0)
    assert safety.safe == (case.expected == "PROVEN"), safety
    if case.expected == "REJECTED":
        assert not safety.safe
        told = words.refusal(Verified(safety), None, None, has_patch=True)
        assert case.because in told, told
    assert safety.tried == ((5, BUCKET),)


def test_the_smallest_and_the_largest_size_come_first():
    locate = lambda n: (padding.locate(("x",), (np.ones(n, np.float32),), {}, 0), BUCKET)  # noqa: E731
    safety = poisoning.examine(jax.jit(lambda x: x), [locate(n) for n in (5, 3, 8, 7)], lambda _place: 0)
    assert safety.tried == ((3, BUCKET), (7, BUCKET), (5, BUCKET), (8, BUCKET))
    late = poisoning.examine(jax.jit(lambda x: x), [locate(n) for n in (5, 3)], lambda _place: 0, deadline=0.0)
    assert late.tried == ((3, BUCKET),)


def check(function, *args, axis=0):
    return bucketed(jax.jit(function), axis=axis, sizes=(BUCKET,)).check(*args)


def test_a_leak_names_the_output_and_shows_the_difference():
    safety = check(lambda x: {"each": x * 2, "all": x.sum()}, np.array([1, 2, 4], np.float32))
    assert safety.verdict == "zeros"
    assert not safety.safe
    assert [(leak.output, leak.kind) for leak in safety.leaks] == [("output['all']", "content")]
    assert "50007 instead of 7" in safety.leaks[0].text
    assert safety.spreads_nan


def test_right_by_the_sign_of_the_values_is_not_right():
    positive = np.arange(1, 6, dtype=np.float32)
    safety = check(lambda x: x.max(), positive)
    assert safety.verdict == "leaks"
    assert "of negative values" in safety.leaks[0].text


def test_the_mask_that_keeps_the_padding_out_is_named():
    mask, other = np.array([True, False, True]), np.array([True, True, False])

    def masked(x, unrelated, mask):
        return jnp.where(mask, x, 0).sum(), unrelated & mask

    safety = check(masked, np.ones(3, np.float32), other, mask)
    assert (safety.verdict, safety.masks) == ("masked", ("mask",))


def test_nan_in_the_padding_is_told_and_not_held_against_it():
    def causal(x):
        seen = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))
        return jnp.where(seen, 1.0, 0.0) @ x

    safety = check(causal, np.ones((5, 2), np.float32))
    assert safety.safe
    assert safety.spreads_nan
    assert not check(lambda x: x * 2, np.ones((5, 2), np.float32)).spreads_nan


def test_where_nothing_would_be_padded_nothing_is_told():
    safety = check(lambda x: x.mean(), np.ones(BUCKET, np.float32))
    assert (safety.verdict, safety.safe) == ("untold", False)
    assert "no call would be padded" in safety.note


def test_a_function_that_is_random_by_itself_is_not_judged():
    random = np.random.default_rng(0)

    def noisy(x):
        return jax.pure_callback(lambda a: a + random.random(a.shape).astype(np.float32), x, x)

    safety = check(noisy, np.ones(5, np.float32))
    assert (safety.verdict, safety.note) == ("untold", "it gives different results for the same arguments")


def test_a_function_that_fails_when_padded_is_not_judged():
    def only_five(x):
        if x.shape[0] != 5:
            raise ValueError("five, please")
        return x

    safety = check(only_five, np.ones(5, np.float32))
    assert safety.verdict == "untold"
    assert "ValueError: five, please" in safety.note


def test_donated_arguments_survive_the_trial():
    step = jax.jit(lambda state, x: (state + 1, x * state.sum()), donate_argnums=0)
    state = jnp.ones(3)
    safety = bucketed(step, axis={"x": 0}, sizes=(BUCKET,)).check(state, np.ones((5, 2), np.float32))
    assert safety.safe
    assert float(state.sum()) == 3


def test_whole_numbers_and_short_floats_are_compared_too():
    assert check(lambda x: x + 1, np.arange(5, dtype=np.uint8)).safe
    assert not check(lambda x: x.sum(), np.arange(5, dtype=np.uint8)).safe
    assert check(lambda x: x * 2, jnp.arange(5, dtype=jnp.bfloat16)).safe
    assert not check(lambda x: x.mean(), jnp.arange(1, 6, dtype=jnp.bfloat16)).safe
    assert check(lambda x: x * 2j, np.arange(5).astype(np.complex64)).verdict == "safe"
