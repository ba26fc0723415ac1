"""Numbers, paths and harmless text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyjit.model.source import Location
from whyjit.present import paths, units
from whyjit.present.clean import clean, clean_code, encodable


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"), (0.00001, "0 s"), (0.0001, "0.1 ms"), (0.0042, "4.2 ms"), (0.031, "31 ms"), (0.0999, "0.10 s"),
        (0.31, "0.31 s"), (0.994, "0.99 s"), (0.996, "1.0 s"), (12.44, "12.4 s"), (119.9, "119.9 s"),
        (125, "2 min 05 s"), (3599.9, "60 min 00 s"), (3840, "1 h 04 min"), (float("nan"), "? s"),
    ],
)  # fmt: skip
def test_seconds(value, text):
    assert units.seconds(value) == text


def test_counts_shares_sizes():
    assert units.count(1234567) == "1,234,567"
    assert [units.share(part, 10) for part in (0, 0.01, 3.9, 10)] == ["0 %", "under 1 %", "39 %", "100 %"]
    assert units.share(1, 0) == "0 %"
    assert [units.nbytes(size) for size in (812, 4_000_000, 999_999)] == ["812 B", "4.0 MB", "1.0 MB"]
    assert [units.plural(1, "trace"), units.plural(0, "trace")] == ["1 trace", "0 traces"]


def test_paths():
    assert paths.relative("/a/b/c.py", "/a/b") == "c.py"
    assert paths.relative("/a/bc.py", "/a/b") == "/a/bc.py"
    assert paths.relative("/a/b", "/a/b") == "/a/b"
    assert paths.relative("c.py", "") == "c.py"
    assert paths.short("/a/.venv/lib/python3.11/site-packages/jax/_src/pjit.py", "/a") == "jax/_src/pjit.py"
    assert paths.short("/usr/lib/python3.13t/runpy.py", "/a") == "runpy.py"
    assert paths.place(Location("/a/b.py", 3), "/a") == "b.py:3"
    assert paths.place(Location("", 0), "/a") == ""


@given(st.text())
def test_clean_text_is_one_line_and_encodable(text):
    shown = clean(text)
    assert len(shown.splitlines()) <= 1
    shown.encode()
    encodable(text).encode()


def test_printable_text_stays_as_it_is():
    assert clean("f32[3] 名 é") == "f32[3] 名 é"


def test_marks_follow_their_characters():
    shown, places = clean_code("\ta\x00b")
    assert shown == "    a\\x00b"
    assert places == [0, 4, 5, 9, 10]
