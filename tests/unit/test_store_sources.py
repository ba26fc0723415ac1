"""The digests of source files in a recording, by which a later change is noticed."""

import hashlib
import os
import time

import pytest
from store_samples import environment

from whyjit.model.batch import Batch
from whyjit.model.failure import Failure
from whyjit.model.recording import Function
from whyjit.store import sources
from whyjit.store.writer import Writer


@pytest.fixture
def place(tmp_path):
    """A folder with two files, written an hour ago."""
    for name in ("train.py", "helper.py"):
        (tmp_path / name).write_text(f"# {name}\n")
        os.utime(tmp_path / name, (time.time() - 3600,) * 2)
    return tmp_path


def written(place, *functions, started=None, failures=(), final=True):
    about = environment(directory=str(place), started=time.time() if started is None else started)
    writer = Writer.create(place, about)
    writer.write(Batch(about, functions=functions, failures=failures, final=final))
    writer.close()
    sources.note(writer.path)
    return sources.read(writer.path)


def of(name):
    return hashlib.sha256(f"# {name}\n".encode()).hexdigest()


def test_files_of_the_user_are_known_again_by_their_content(place):
    functions = (
        Function(1, "step", "step", "train.py", 3, "user"),
        Function(2, "norm", "norm", "/lib/norm.py", 3, "library"),
        Function(3, "gone", "gone", "gone.py", 3, "user"),
    )
    assert written(place, *functions) == {"train.py": of("train.py")}


def test_a_file_that_only_an_error_names_is_among_them(place):
    failures = (Failure("TypeError", "branch-on-value", file=str(place / "helper.py")),)
    assert written(place, failures=failures) == {str(place / "helper.py"): of("helper.py")}


def test_a_file_written_to_since_the_recording_began_is_not_known(place):
    function = Function(1, "step", "step", "train.py", 3, "user")
    assert written(place, function, started=time.time() - 7200) == {}


def test_a_recording_that_has_not_ended_is_left_as_it_is(place):
    assert written(place, Function(1, "step", "step", "train.py", 3, "user"), final=False) == {}


def test_what_is_no_recording_is_left_as_it_is(place):
    (place / "x.whyjit").write_text("something else")
    sources.note(place / "x.whyjit")
    sources.note(place / "none.whyjit")
    assert (place / "x.whyjit").read_text() == "something else"
    assert not (place / "none.whyjit").exists()
