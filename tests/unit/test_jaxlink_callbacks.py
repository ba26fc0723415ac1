"""Callbacks are told apart by what they do and hold, and two that do and hold the same are one."""

import functools

import numpy as np

from whyjit.jaxlink.callbacks import text_of
from whyjit.jaxlink.programs import Tokens


def scaled(scale, by=1):
    def host(x):
        return x * scale + by

    return host


class Holder:
    def host(self, x):
        return x


def text(callback, tokens=Tokens()):  # noqa: B008 - one for all, as in a run
    return text_of(callback, tokens)


def test_what_a_callback_captures_tells_it_apart():
    assert text(scaled(1.0)) == text(scaled(1.0))
    assert text(scaled(1.0)) != text(scaled(2.0))
    assert text(scaled(1)) != text(scaled(1.0))


def test_what_it_does_tells_it_apart():
    assert text(lambda x: x + 1) != text(lambda x: x + 2)


def test_its_name_is_told():
    assert text(scaled(1.0)).startswith("scaled.<locals>.host ")


def test_small_arrays_are_compared_and_large_ones_are_objects():
    small = [scaled(np.ones(3)), scaled(np.ones(3)), scaled(np.zeros(3))]
    assert text(small[0]) == text(small[1]) != text(small[2])
    table = np.ones(5000)
    assert text(scaled(table)) == text(scaled(table)) != text(scaled(table.copy()))


def test_containers_are_told_by_what_they_hold():
    assert text(scaled({})) == text(scaled({}))
    assert text(scaled({"a": [1]})) == text(scaled({"a": [1]})) != text(scaled({"a": [2]}))


def test_methods_are_one_for_one_object():
    one, other = Holder(), Holder()
    assert text(one.host) == text(one.host) != text(other.host)


def test_partials():
    assert text(functools.partial(max, 1)) == text(functools.partial(max, 1)) != text(functools.partial(max, 2))


def test_a_callback_that_holds_itself_ends():
    def host(x):
        return host(x)

    assert text(host) == text(host)
