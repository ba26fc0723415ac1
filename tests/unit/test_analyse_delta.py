"""How far two programs are apart."""

import pytest
from analyse_builders import program

from whyjit.analyse.delta import CONSTANTS_UNREAD, program_delta


@pytest.mark.parametrize(
    ("old", "new", "delta"),
    [
        (program(1), program(1), "identical"),
        (program(1, literals="l"), program(2, literals="l"), "literals"),
        (program(1, shapes="s"), program(2, shapes="s"), "shapes"),
        (program(1, types="t"), program(2, types="t"), "dtypes"),
        (program(1, skeleton="k"), program(2, skeleton="k"), "dtypes"),
        (program(1), program(2), "structure"),
    ],
)
def test_levels(old, new, delta):
    assert program_delta(old, new)[0] == delta


def test_sizes_and_types_are_both_told():
    assert program_delta(program(1, skeleton="k"), program(2, skeleton="k")) == ("dtypes", "sizes differ, too")


def test_constants_that_differ_are_literals():
    old, new = program(1, constants="a"), program(1, constants="b")
    assert program_delta(old, new) == ("literals", "a constant array differs")


def test_constants_that_were_not_read_are_said_to_be_unread():
    assert program_delta(program(1, constants="?a"), program(1, constants="?b")) == ("literals", CONSTANTS_UNREAD)


def test_a_program_that_is_not_known_gives_no_delta():
    assert program_delta(None, program(1)) == (None, "")
    assert program_delta(program(1), None) == (None, "")
