"""Whether the programs of a trial are the recorded ones, their arrays included."""

import pytest

from whyjit.rewrite.statics import recorded
from whyjit.rewrite.statics.recorded import Compared, Wanted


@pytest.fixture(autouse=True)
def programs_are_their_names(monkeypatch):
    """A program is (fingerprint, digest of its arrays) here."""
    monkeypatch.setattr(recorded, "whole", lambda _function, _call, _statics, closed: closed[0])
    monkeypatch.setattr(recorded, "baked", lambda closed, _limit: closed[1])


def told(programs, wanted, rebound=""):
    compared = Compared(None, [None] * len(programs), (), [Wanted(*one) for one in wanted], rebound)
    return compared(programs), compared.other


@pytest.mark.parametrize(
    ("programs", "wanted", "answer"),
    [
        ([("p", "a"), ("q", "a")], [("p", "a"), ("q", "a")], ("", False)),
        ([("p", "a"), ("q", "a")], [("p", "a"), ("r", "a")], (recorded.OTHER, False)),
        ([("p", "a"), ("q", "a")], [("p", "b"), ("q", "b")], ("", True)),
        ([("p", "a"), ("q", "a")], [("p", "a"), ("q", "b")], (recorded.CHANGED_ARRAYS, True)),
        ([("p", "a"), ("q", "c")], [("p", "b"), ("q", "d")], ("", True)),
        ([("p", "a"), ("q", "a")], [("p", ""), ("q", "")], ("", False)),
        ([("p", "a")], [("", "a")], ("", False)),
    ],
)
def test_arrays_may_be_others_but_must_not_have_changed_between_calls(programs, wanted, answer):
    assert told(programs, wanted) == answer


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [(("p", "a"), ""), (("p", ""), "it changed"), (("", "a"), "it changed"), (("p", "b"), "it changed")],
)
def test_a_closure_that_changed_must_be_shown_not_to_matter(wanted, answer):
    assert told([("p", "a")], [wanted], "it changed")[0] == answer
