"""The specialization that another is compared with is truly the nearest."""

import random

from analyse_builders import capture, kinds, leaf, node, report, spec, static

from whyjit.analyse.factors import factors
from whyjit.analyse.nearest import Nearest


def compared(*specs, at=-1):
    return report(*specs).specializations[at].compared_with


def test_the_first_has_none():
    assert Nearest([spec(1, leaf("x", 3))]).before(0) is None
    assert Nearest([]) is not None


def test_fewest_changed_factors():
    far, near = spec(1, leaf("x", 8, 8)), spec(2, leaf("x", 5, dtype="int32"))
    new = spec(3, leaf("x", 5), context=(("jax_numpy_rank_promotion", "warn"),))
    assert compared(far, near, spec(3, leaf("x", 5))) == 2
    assert compared(far, near, new) == 2


def test_a_static_does_not_outweigh_a_shape():
    specs = spec(1, leaf("x", 3), static("n", 1)), spec(2, leaf("x", 3), static("n", 2))
    new = spec(3, leaf("x", 4), static("n", 1))
    assert compared(*specs, new) == 1
    assert kinds(*specs, new) == [("shape", "x")]


def test_ties_go_to_the_most_recent():
    specs = [spec(1, leaf("x", 3)), spec(2, leaf("x", 4)), spec(3, leaf("x", 5))]
    assert compared(*specs) == 2


def test_a_leaf_that_only_one_side_has_counts():
    specs = [
        spec(1, leaf("x", 3), leaf("bias", 3)),
        spec(2, leaf("x", 9)),
        spec(3, leaf("x", 3)),
    ]
    assert compared(*specs) == 2


def test_a_new_key_is_one_difference_however_much_lies_in_it():
    three = [leaf(f"p[{name!r}]", 3) for name in "abc"]
    new_keys = [leaf("p['d']['v']", 7, dtype="int32"), leaf("p['d']['w']", 8)]
    old = spec(1, node("p", "dict", *(f"[{name!r}]" for name in "abc")), *three)
    other = spec(
        2,
        node("p", "dict", "['a']", "['b']", "['c']", "['d']"),
        node("p['d']", "dict", "['v']", "['w']"),
        leaf("p['a']", 9),
        leaf("p['b']", 9),
        leaf("p['c']", 9),
        *new_keys,
    )
    new = spec(
        3,
        node("p", "dict", "['a']", "['b']", "['c']", "['d']"),
        node("p['d']", "dict", "['v']", "['w']"),
        *three,
        *new_keys,
    )
    assert compared(old, other, new) == 1
    assert kinds(old, other, new) == [("structure", "p")]


def test_none_in_the_place_of_an_array_is_one_difference():
    old, other = spec(1, leaf("x", 3), leaf("m", 3)), spec(2, leaf("x", 4, dtype="int32"), leaf("m", 3))
    new = spec(3, leaf("x", 3), node("m", "None"))
    assert compared(old, other, new) == 1


def test_three_modes_then_another_dtype():
    specs = [spec(number, leaf("x", 3), static("mode", mode)) for number, mode in enumerate(("last", "max", "sum"), 1)]
    new = spec(4, leaf("x", 3, dtype="float16"), static("mode", "max"))
    assert compared(*specs, new) == 2
    assert kinds(*specs, new) == [("dtype", "x")]


def test_what_a_function_carries_breaks_the_tie_between_new_functions():
    specs = [
        spec(1, leaf("x", 3), maker=1, captures=(capture("n", "1"),)),
        spec(2, leaf("x", 3), maker=2, captures=(capture("n", "2"),)),
    ]
    new = spec(3, leaf("x", 3), maker=3, captures=(capture("n", "1"),))
    assert compared(*specs, new) == 1


def test_operations_of_one_line_are_compared_among_themselves():
    specs = [
        spec(1, leaf("x", 3), operation="tanh"),
        spec(2, leaf("x", 3), operation="sin"),
        spec(3, leaf("x", 4), operation="tanh"),
    ]
    assert compared(*specs) == 1


def test_agrees_with_counting_by_hand():
    draw = random.Random(7)  # noqa: S311 - no secret
    specs = [
        spec(
            number,
            leaf("x", draw.choice((2, 3, 4)), dtype=draw.choice(("float32", "int32"))),
            leaf("y", draw.choice((2, 3))),
            static("n", draw.choice((1, 2, 3))),
            context=(("jax_enable_x64", draw.choice(("False", "True"))),),
        )
        for number in range(1, 60)
    ]
    nearest, tables = Nearest(specs), [factors(one) for one in specs]
    for at in range(1, len(specs)):
        distances = [
            sum(tables[at].get(factor) != table.get(factor) for factor in tables[at].keys() | table.keys())
            for table in tables[:at]
        ]
        assert nearest.before(at) == max(place for place in range(at) if distances[place] == min(distances))


def test_ten_thousand_specializations_are_answered_for():
    specs = [
        spec(number, leaf("x", number), leaf("y", number // 100), static("n", number % 7)) for number in range(10_000)
    ]
    nearest = Nearest(specs)
    assert nearest.before(1) == 0
    assert nearest.before(9_999) == 9_992


def test_a_container_and_its_keys_are_two_differences():
    two, other = spec(1, node("d", "dict", "['a']", "['b']")), spec(2, node("d", "OrderedDict", "['a']", "['b']"))
    assert compared(two, other, spec(3, node("d", "dict", "['a']", "['b']", "['c']"))) == 1
    assert compared(two, other, spec(3, node("d", "OrderedDict", "['b']", "['a']"))) == 2
