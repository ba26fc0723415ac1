"""The memory of scalars that functions were called with: it is small, and says when it is full."""

from __future__ import annotations

import threading

from whyjit.observe.given import MOST, Eyes, GivenValues, text_of


def test_distinct_values_are_kept_in_the_order_they_were_met():
    given = GivenValues()
    for value in (2, 1, 2, 3):
        given.note("f", [("n", value), ("t", 0.5)])
    assert given.before("f", "n") == (["2", "1", "3"], 4)
    assert given.before("f", "t") == (["0.5"], 4)
    assert given.before("f", "other") == ([], 0)
    assert given.before("g", "n") == ([], 0)


def test_the_memory_has_an_end():
    given = GivenValues()
    for value in range(1000):
        given.note("f", [("n", value)])
    texts, calls = given.before("f", "n")
    assert (len(texts), calls) == (MOST, 1000)
    for number in range(2000):
        given.note(number, [("n", 1)])
    assert given.before(1999, "n") == ([], 0)  # so many functions are not remembered
    given.note("wide", [(f"leaf[{at}]", at) for at in range(1000)])
    assert given.before("wide", "leaf[999]") == ([], 0)


def test_values_of_equal_numbers_and_other_types_are_told_apart():
    given = GivenValues()
    for value in (1, 1.0, True, 0.0, -0.0, float("nan")):
        given.note("f", [("n", value)])
    assert given.before("f", "n")[0] == ["1", "1.0", "True", "0.0", "-0.0", "nan"]


def test_long_numbers_are_cut():
    assert len(text_of(10**300)) == 40
    assert text_of(10**5000) == "a very long int"


def test_a_value_is_hidden_where_values_are_hidden():
    given = GivenValues()
    assert Eyes(given, redact=True).look(None, "n", 7).value == "<hidden>"
    assert Eyes(given).look(None, "n", 7).value == "7"


def test_two_threads_note_all_their_calls():
    given = GivenValues()
    threads = [threading.Thread(target=lambda: [given.note("f", [("n", 1)]) for _ in range(500)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert given.before("f", "n") == (["1"], 1000)


def test_a_call_that_comes_while_one_is_noted_does_not_wait_for_it():
    memory = GivenValues()

    class Interrupts(list):
        """As a finalizer that calls a jitted function, between one leaf and the next."""

        def __iter__(self):
            memory.note("g", [("n", 2)])
            return super().__iter__()

    noting = threading.Thread(target=memory.note, args=("f", Interrupts([("n", 1)])), daemon=True)
    noting.start()
    noting.join(60)
    assert not noting.is_alive()
    assert (memory.before("f", "n"), memory.before("g", "n")) == ((["1"], 1), (["2"], 1))
