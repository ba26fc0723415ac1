"""Functions made inside others, from a recorded script to the changed file: the right one is changed, and runs on."""

import launching
import pytest

pytest.importorskip("jax")

pytestmark = pytest.mark.e2e

PROGRAM = """\
import functools

import jax
import jax.numpy as jnp


def make_step(scale):
    @functools.partial(jax.jit, static_argnames="rate")
    def step(weights, rate):
        return weights - rate * scale * weights

    return step


def make_other(mode):
    @functools.partial(jax.jit, static_argnames="rate")
    def step(weights, rate):
        if rate > 0.5:
            weights = weights * mode
        return weights * rate

    return step


def main():
    weights = jnp.ones(3)
    steps = [make_step(2.0), make_step(3.0)]
    other = make_other(4.0)
    sign = jax.jit(lambda x, bound: x * 2 if bound > 2 else -x)
    for rate in (0.125, 0.25, 0.75):
        for step in steps:
            weights = step(weights, rate=rate)
        weights = other(weights, rate=rate)
    print(weights)
    try:
        sign(weights, 1.0)
    except jax.errors.TracerBoolConversionError:
        print("refused")
    else:
        print("not refused")


main()
"""
HOW = {"COLUMNS": "100", "JAX_PLATFORMS": "cpu"}


def test_each_nested_function_is_proven_changed_where_it_stands_and_run_again(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    run = launching.recorded(["train.py"], tmp_path, flags=("--quiet", "--keep-arguments"), **HOW)
    assert run.status == 0, run.err
    weights, refused = run.out.splitlines()
    assert refused == "refused"
    done = launching.whyjit("fix", "--apply", "--verify-run", folder=tmp_path, **HOW)
    assert done.status == 0, done.err
    assert "changed train.py" in done.err
    assert "make-dynamic in step (PROVEN)" in done.err
    assert "cond in <lambda> (PROVEN)" in done.err
    wanted = PROGRAM.replace('@functools.partial(jax.jit, static_argnames="rate")', "@jax.jit", 1)
    wanted = wanted.replace(
        "lambda x, bound: x * 2 if bound > 2 else -x",
        "lambda x, bound: jax.lax.cond(bound > 2, lambda: x * 2, lambda: -x)",
    )
    assert (tmp_path / "train.py").read_text() == wanted
    assert done.out.startswith(f"{weights}\nnot refused\n")


def test_without_kept_closures_it_stays_a_suggestion_that_says_what_to_run(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    assert launching.recorded(["train.py"], tmp_path, flags=("--quiet",), **HOW).status == 0
    shown = launching.whyjit("advise", folder=tmp_path, **HOW)
    told = " ".join(shown.out.split())
    assert "was not kept with what it closes over; record with: whyjit run --keep-arguments" in told
    assert "PROVEN" not in told
    assert "nothing to apply" in launching.whyjit("fix", folder=tmp_path, **HOW).err
