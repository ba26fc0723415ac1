"""What of a static value tells it from another."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from whyjit.jaxlink.programs import Tokens
from whyjit.observe.looks import Describer, compared_fields

pytest.importorskip("jax")  # whether a value is an array is JAX's to say


@dataclass(frozen=True)
class Compared:
    depth: int
    stamp: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Below(Compared):
    def __post_init__(self):
        object.__setattr__(self, "counted", 1)


@dataclass(frozen=True)
class Written:
    depth: int

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


@dataclass(eq=False)
class Plain:
    value: Any


def look(value):
    return Describer(Tokens()).static("value", value)


def test_a_dataclass_is_compared_by_the_fields_that_it_compares():
    assert compared_fields(Compared) == {"depth"}
    assert compared_fields(Below) == {"depth"}
    assert (look(Compared(2, 1)).look, look(Compared(2, 1)).text) == (look(Compared(2, 9)).look, "Compared(depth=2)")


def test_equality_that_someone_wrote_is_not_read():
    assert compared_fields(Written) is None
    assert compared_fields(Plain) is None
    assert look(Written(1)).look != look(Written(2)).look


def test_a_value_that_is_no_static_is_looked_at_as_a_whole():
    describer = Describer(Tokens())
    assert describer.look(Compared(2, 1)).look != describer.look(Compared(2, 9)).look


def test_objects_compared_by_identity_are_told_with_their_place():
    made = look((SimpleNamespace, Plain(len), lambda: None))
    assert made.objects == (("[1]", "test_observe_looks.Plain"), ("[2]", "function"))
    assert len(made.identity.split(",")) == 2


def test_the_value_itself_needs_no_place():
    assert look(lambda: None).objects == ()
