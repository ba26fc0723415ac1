"""Which patches are put into which files, and that what is written can be taken back."""

import hashlib
import shutil
import subprocess

import pytest

from whyjit.model.advice import Advice, Effort
from whyjit.rewrite import fixing, patching
from whyjit.rewrite.sources import WhyjitError

TEXT = "import jax\n\n\ndef f(x):\n    return x   # kept\n\n\ndef g(x):\n    return x\n"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def item(path, old, new, evidence="PROVEN", text=TEXT):
    patch = patching.diff(path, text, text.replace(old, new))
    return Advice("f", None, "cond", evidence, "why", Effort(1, 1.0), None, patch, source_digest=digest(text))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory with a program, and a run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(TEXT)
    (tmp_path / "run").mkdir()
    return tmp_path


def planned(place, *items, **options):
    options.setdefault("recorded", {str(place / "a.py"): digest(TEXT)})
    return fixing.plan(items, directory=place, **options)


def test_proven_patches_are_taken_tested_ones_on_request_and_suggested_ones_never(place):
    items = [
        item("a.py", "def f(x)", "def f(x, y)"),
        item("a.py", "def g(x)", "def g(x, z)", "TESTED"),
        item("a.py", "import jax", "import jax, math", "SUGGESTED"),
        Advice("f", None, "cond", "PROVEN", "no patch", Effort(1, 1.0)),
    ]
    first = planned(place, *items)
    assert [one.text for one in first.files] == [TEXT.replace("def f(x)", "def f(x, y)")]
    assert first.others == {"TESTED": 1, "SUGGESTED": 1, "PROVEN": 1}
    second = planned(place, *items, tested=True)
    assert [one.text for one in second.files] == [TEXT.replace("f(x)", "f(x, y)").replace("g(x)", "g(x, z)")]
    assert second.others == {"SUGGESTED": 1, "PROVEN": 1}


def test_a_file_that_is_read_only_is_left_alone(place):
    (place / "a.py").chmod(0o444)
    found = planned(place, item("a.py", "def f(x)", "def f(x, y)"))
    assert found.files == ()
    assert "read-only" in found.skipped[0].reason


def test_a_file_that_is_not_what_was_recorded_is_left_alone(place):
    (place / "a.py").write_text(TEXT + "# more\n")
    found = planned(place, item("a.py", "def f(x)", "def f(x, y)"))
    assert found.files == ()
    assert "has changed since it was recorded" in found.skipped[0].reason


def test_a_patch_made_from_another_text_is_left_out(place):
    found = planned(place, item("a.py", "def f(x)", "def f(x, y)", text=TEXT + "# other\n"), recorded={})
    assert found.files == ()
    assert "not what the patch was made from" in found.skipped[0].reason


def test_a_file_outside_the_working_directory_is_left_alone(place, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "b.py"
    elsewhere.write_text(TEXT)
    found = planned(place, item(str(elsewhere), "def f(x)", "def f(x, y)"), recorded={})
    assert found.files == ()
    assert "outside the working directory" in found.skipped[0].reason


def test_paths_choose(place):
    (place / "sub").mkdir()
    (place / "sub" / "b.py").write_text(TEXT)
    items = [item("a.py", "def f(x)", "def f(x, y)"), item("sub/b.py", "def f(x)", "def f(x, z)")]
    assert [one.path for one in planned(place, *items).files] == ["a.py", "sub/b.py"]
    assert [one.path for one in planned(place, *items, paths=[place / "sub"]).files] == ["sub/b.py"]
    assert [one.path for one in planned(place, *items, paths=[place / "a.py"]).files] == ["a.py"]


def test_patches_that_collide_and_patches_that_break_the_file(place):
    one, other = item("a.py", "def f(x)", "def f(x, y)"), item("a.py", "def f(x)", "def f(x, z)")
    found = planned(place, one, other)
    assert [file.items for file in found.files] == [(one,)]
    assert "another patch changes" in found.skipped[0].reason
    assert "no longer be Python" in planned(place, item("a.py", "def f(x)", "def f(x")).skipped[0].reason


@pytest.mark.parametrize("tool", ["git", "patch"])
def test_what_is_written_can_be_taken_back(place, tool):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    (place / "c.py").write_bytes(TEXT.replace("\n", "\r\n").encode())
    windows = TEXT.replace("\n", "\r\n")
    items = [item("a.py", "def f(x)", "def f(x, y)"), item("c.py", "def g(x)", "def g(x, z)", text=windows)]
    recorded = {str(place / "a.py"): digest(TEXT), str(place / "c.py"): digest(windows)}
    found = planned(place, *items, recorded=recorded)
    patch = fixing.apply(found, place / "run")
    assert patch.name == "fix-1.patch"
    assert (place / "a.py").read_text() == TEXT.replace("def f(x)", "def f(x, y)")
    assert (place / "c.py").read_bytes() == windows.replace("def g(x)", "def g(x, z)").encode()
    assert [one.patch for one in fixing.in_place(place / "run")] == ["fix-1.patch"] * 2
    command = ["git", "apply", "-R", patch] if tool == "git" else ["patch", "--binary", "-s", "-R", "-p1", "-i", patch]
    subprocess.run(command, cwd=place, check=True)
    assert (place / "a.py").read_text() == TEXT
    assert (place / "c.py").read_bytes() == windows.encode()
    assert fixing.in_place(place / "run") == ()


def test_the_next_patch_has_a_number_of_its_own(place):
    fixing.apply(planned(place, item("a.py", "def f(x)", "def f(x, y)")), place / "run")
    (place / "a.py").write_text(TEXT)
    assert fixing.apply(planned(place, item("a.py", "def g(x)", "def g(x, y)")), place / "run").name == "fix-2.patch"


def test_a_file_that_changes_between_plan_and_writing_is_left_alone(place):
    found = planned(place, item("a.py", "def f(x)", "def f(x, y)"))
    (place / "a.py").write_text("mine\n")
    with pytest.raises(WhyjitError, match="changed just now"):
        fixing.apply(found, place / "run")
    assert (place / "a.py").read_text() == "mine\n"
    assert list((place / "run").iterdir()) == []
