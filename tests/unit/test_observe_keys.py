"""The key of a signature: equal where all factors that count are, and only there."""

from __future__ import annotations

import itertools

import pytest
from msgspec import structs

from whyjit.model.signature import CallForm, Leaf, Node, Signature, Static
from whyjit.observe import keys, picks

LEAF = Leaf("x", (3,), "float32")
STATIC = Static("n", "int", "3", "3")
SIGNATURE = Signature(
    CallForm((("x", "positional"), ("n", "keyword"))), (Node("p", "dict", ("['w']",)),), (LEAF,), (STATIC,)
)
COUNTS = [
    *({"leaves": (structs.replace(LEAF, **change),)} for change in (
        {"path": "y"}, {"shape": (4,)}, {"dtype": "int32"}, {"weak_type": True}, {"sharding": "P('i')"},
        {"committed": True}, {"memory": "pinned_host"}, {"mesh": "i"},
    )),
    *({"statics": (structs.replace(STATIC, **change),)} for change in (
        {"path": "m"}, {"type": "float"}, {"look": "4"}, {"identity": "1"},
    )),
    {"leaves": (LEAF, structs.replace(LEAF, path="z"))}, {"leaves": ()}, {"statics": ()},
    {"nodes": (Node("p", "dict", ("['b']",)),)}, {"nodes": ()},
    {"form": CallForm((("x", "positional"), ("n", "positional")))},
    {"form": CallForm((("x", "keyword"), ("n", "keyword")))},
    {"context": (("x64", "True"),)}, {"transforms": ("vmap",)}, {"options": (("donate", "0"),)},
]  # fmt: skip
DOES_NOT = [
    {"leaves": (structs.replace(LEAF, holder="numpy"),)},
    {"statics": (structs.replace(STATIC, text="3  # cut"),)},
]


@pytest.mark.parametrize("change", COUNTS, ids=str)
def test_a_factor_that_counts_makes_another_key(change):
    changed = structs.replace(SIGNATURE, **change)
    assert keys.key_of(changed) != keys.key_of(SIGNATURE)


def test_each_of_them_makes_a_key_of_its_own():
    made = [keys.key_of(structs.replace(SIGNATURE, **change)) for change in COUNTS]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize("change", DOES_NOT, ids=str)
def test_how_a_value_is_held_or_written_does_not(change):
    assert keys.key_of(structs.replace(SIGNATURE, **change)) == keys.key_of(SIGNATURE)


def test_the_key_and_the_factors_by_which_hits_are_placed_agree():
    changed = [SIGNATURE, *(structs.replace(SIGNATURE, **change) for change in (*COUNTS, *DOES_NOT))]
    for one, other in itertools.combinations(changed, 2):
        same = (picks.factors(one), one.options) == (picks.factors(other), other.options)
        assert same == (keys.key_of(one) == keys.key_of(other))
