"""Functions that no module has by name, tried with what they closed over; and functions that do more than they show."""

import pytest

pytest.importorskip("jax")

from advice_suite import hostile, nested
from advice_suite.case import Case
from advice_suite.trying import advised, outcome

from whyjit.rewrite import patching

# What must hold on every change of the code; the rest takes a while.
QUICK = {
    *("nothing closed over", "recursion through its own cell", "a lambda", "a bound method", "a factory called twice"),
    *("a branch, made twice", "two lambdas in one line", "a cell bound anew", "a list that grows", "a lock"),
    *("a method of a class made inside", "a global array bound anew", "a helper that appends", "a helper that prints"),
    *("right for one closure only", "a positional-only static"),
}
CASES = nested.CASES + hostile.CASES


@pytest.mark.parametrize("case", [case for case in CASES if case.name in QUICK], ids=lambda case: case.name)
def test_a_few_of_each_kind(case, tmp_path):
    check(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case.name not in QUICK], ids=lambda case: case.name)
def test_all_others(case, tmp_path):
    check(case, tmp_path)


def check(case, tmp_path):
    found = advised(case, tmp_path)
    assert found.faults == ()
    item, became = outcome(case, found.items)
    assert not (case.wrong and became in {"PROVEN", "TESTED"}), item
    assert became == case.expected, found.items
    if item is not None:
        assert case.because in item.why, item.why


SIZES = (3, 5, 6, 7)
ROWS = """
def rows(n):
    return np.random.default_rng(n).normal(size=(n, 4)).astype(np.float32)
changes = []
def make(w):
    import jax as also_jax
    @also_jax.jit
    def f(x):
        return jnp.tanh(x @ w)
    def change(v):
        nonlocal w
        w = v
    changes.append(change)
    return f
g = make(np.ones((4, 4), np.float32))
def h(n):
    changes[0](np.full((4, 4), n, np.float32))
    return g(rows(n))
"""


def bucket_of(calls, folder):
    case = Case("rows in a factory", "bucket", ROWS, calls, "PROVEN", path="x")
    found = advised(case, folder, advisers=("whyjit.rewrite.buckets.propose",))
    assert found.faults == ()
    return next(item for item in found.items if item.function == "f")


def test_a_nested_function_is_padded_under_the_decorators_of_the_patched_text(tmp_path):
    item = bucket_of(tuple(f"g(rows({n}))" for n in SIZES), tmp_path)
    assert (item.evidence, item.after.traces) == ("PROVEN", 2)
    assert "+    @whyjit.bucketed(axis={" in item.patch


def test_it_is_not_where_what_it_closes_over_changed(tmp_path):
    item = bucket_of(tuple(f"h({n})" for n in SIZES), tmp_path)
    assert (item.evidence, item.patch) == ("SUGGESTED", None)
    assert "closes over changed between the recorded calls" in item.why


def test_nor_where_it_was_made_several_times(tmp_path):
    calls = tuple(f"make(np.ones((4, 4), np.float32))(rows({n}))" for n in SIZES)
    item = bucket_of(calls, tmp_path)
    assert (item.evidence, item.patch) == ("SUGGESTED", None)
    assert "was made 4 times" in item.why


def test_of_two_functions_of_one_name_the_right_one_is_changed(tmp_path):
    source = "".join(
        f"def {name}(k):\n    @functools.partial(jax.jit, static_argnames='s')\n"
        f"    def f(x, s):\n        return {body}\n"
        "    return f\n"
        for name, body in (("first", "jnp.zeros(s) + k"), ("second", "x * s + k"))
    )
    calls = ("first(2.0)(1.0, s=3)", "first(2.0)(1.0, s=4)", "g(1.0, s=3)", "g(1.0, s=4)")
    case = Case("two of one name", "make-dynamic", f"{source}g = second(2.0)\n", calls, "PROVEN")
    found = advised(case, tmp_path)
    (item,) = (item for item in found.items if item.evidence == "PROVEN")
    changed = patching.apply(item.patch, case.text)
    assert changed == case.text.replace("@functools.partial(jax.jit, static_argnames='s')", "@jax.jit").replace(
        "@jax.jit", "@functools.partial(jax.jit, static_argnames='s')", 1
    )
