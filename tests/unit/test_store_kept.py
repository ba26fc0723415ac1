"""Kept calls on disk: a function that many calls were made with is written once."""

from whyjit.model.arguments import Carried, KeptCall, Pickled, Plain
from whyjit.store import kept

FUNCTION = Pickled(b"a function", "function")


def test_a_carried_function_is_written_once_and_read_with_each_call(tmp_path):
    file = tmp_path / "1-1.whyjit"
    kept.write(file, 3, 1, KeptCall((Plain("1"),), carried=Carried(FUNCTION, "abc")))
    kept.write(file, 3, 2, KeptCall((Plain("2"),), carried=Carried(None, "abc")))
    names = sorted(path.name for path in kept.folder_of(file).iterdir())
    assert names == ["3-1", "3-2", "function-abc"]
    assert [kept.read(file, 3, number).carried.function for number in (1, 2)] == [FUNCTION, FUNCTION]


def test_a_function_that_is_gone_says_so(tmp_path):
    file = tmp_path / "1-1.whyjit"
    kept.write(file, 3, 1, KeptCall(carried=Carried(None, "abc")))
    found = kept.read(file, 3, 1)
    assert found.missing == ""
    assert "cannot be read" in found.carried.missing


def test_why_a_function_was_not_kept_is_kept(tmp_path):
    file = tmp_path / "1-1.whyjit"
    kept.write(file, 3, 1, KeptCall(carried=Carried(missing="it holds a lock")))
    assert kept.read(file, 3, 1).carried == Carried(missing="it holds a lock")
