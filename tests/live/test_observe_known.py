"""A function that is jitted again and again is one function with one cache: its hits are those of what it compiled."""

import functools

import jax
import numpy as np

import whyjit


def double(x):
    return x * 2


def power(x, n):
    return x**n


def rows(recorded, name):
    (found,) = [one for one in recorded.report()["functions"] if one["name"] == name]
    return [(spec["calls"], spec["stages"]) for spec in found["specializations"]]


ALL = ["trace", "lower", "compile"]


def test_hits_of_another_jit_of_a_function():
    with whyjit.record() as recorded:
        for size in (3, 3, 3, 4, 4, 3):
            jax.jit(double)(np.ones(size, np.float32))
    assert rows(recorded, "double") == [(4, ALL), (2, ALL)]


def test_hits_of_another_jit_with_static_arguments():
    jit = functools.partial(jax.jit, static_argnums=1)
    with whyjit.record() as recorded:
        for n in (2, 3, 2, 3, 3):
            jit(power)(np.ones(3, np.float32), n)
    assert rows(recorded, "power") == [(2, ALL), (3, ALL)]


def test_hits_of_two_jits_with_other_options():
    plain, donating = jax.jit(double), jax.jit(double, donate_argnums=0)
    with whyjit.record() as recorded:
        for size in (5, 6):
            for jitted in (plain, donating, donating, plain):
                jitted(jax.device_put(np.ones(size, np.float32)))
    assert [calls for calls, _ in rows(recorded, "double")] == [2, 2, 2, 2]
