"""A reader's place is kept, and a damaged one is told of."""

import json

import pytest

from whyjit import WhyjitError
from whyjit.lesson.progress import Progress, load


def test_it_begins_at_the_beginning(tmp_path):
    assert load(tmp_path / "none.json") == Progress(1, 0, {}, [])


def test_it_comes_back_as_it_was(tmp_path):
    file = tmp_path / "below" / "lesson.json"
    place = Progress(3, 2, {"q": "b", "rows": [1, 2]}, ["foundation"])
    place.save(file)
    assert load(file) == place
    assert [each.name for each in file.parent.iterdir()] == ["lesson.json"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "cannot read your place"),
        ("[]", "does not hold the place"),
        (json.dumps({"format": "whyjit-lesson", "version": 1, "part": "three"}), "does not hold the place"),
        (
            json.dumps({"format": "whyjit-lesson", "version": 9, "part": 1, "step": 0, "answers": {}, "passed": []}),
            "was written by a newer whyjit",
        ),
    ],
)
def test_a_damaged_place_is_named(tmp_path, content, said):
    file = tmp_path / "lesson.json"
    file.write_text(content)
    with pytest.raises(WhyjitError, match=said):
        load(file)


def test_a_place_that_cannot_be_kept_is_told_of(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(WhyjitError, match="cannot keep your place"):
        Progress().save(tmp_path / "taken" / "lesson.json")
