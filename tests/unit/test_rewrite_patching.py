"""Patches: made, applied, taken back, merged; git and patch(1) agree."""

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whyjit.rewrite import patching, sources
from whyjit.rewrite.patching import PatchError

BEFORE = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"


def replaced(text, old, new):
    return text.replace(old, new)


LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "  c\n", "\n", "-- d\n", "+++ b/e\n", "@@ f\n", "g\r\n", "\x0ch\n"]), max_size=12
)
TEXTS = st.builds(lambda lines, last: "".join(lines) + last, LINES, st.sampled_from(["", "no newline"]))


@given(TEXTS, TEXTS)
@settings(max_examples=150, deadline=None)
def test_applying_a_patch_gives_the_text_it_was_made_for_and_taking_it_back_the_one_it_was_made_from(before, after):
    patch = patching.diff("a.py", before, after)
    if before == after:
        assert patch == ""
        return
    assert patching.path_of(patch) == "a.py"
    assert patching.apply(patch, before) == after
    assert patching.reverse(patch, after) == before
    assert patching.apply(patching.reversed_patch(patch), after) == before
    assert patching.is_applied(patch, after)
    assert patching.merge([patch, patch], before).text == after


def test_a_patch_of_another_text_is_refused():
    patch = patching.diff("a.py", BEFORE, replaced(BEFORE, "c\n", "C\n"))
    with pytest.raises(PatchError, match=r"does not fit a\.py: line 2"):
        patching.apply(patch, replaced(BEFORE, "b\n", "B\n"))
    assert not patching.is_applied(patch, BEFORE)


@pytest.mark.parametrize("text", ["", "hello", "--- a/x\n+++ b/x\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\nxyz\n"])
def test_what_is_no_patch_is_said_to_be_none(text):
    with pytest.raises(PatchError, match="no unified diff"):
        patching.apply(text, BEFORE)


def test_patches_of_different_places_are_merged_whatever_their_order():
    one = patching.diff("a.py", BEFORE, replaced(BEFORE, "b\n", "b1\nb2\nb3\n"))
    other = patching.diff("a.py", BEFORE, replaced(BEFORE, "d\n", "").replace("k\n", "K\n"))
    wanted = replaced(BEFORE, "b\n", "b1\nb2\nb3\n").replace("d\n", "").replace("k\n", "K\n")
    for patches in ([one, other], [other, one]):
        assert patching.merge(patches, BEFORE) == (wanted, ())


def test_what_two_patches_do_alike_is_done_once():
    one = patching.diff("a.py", BEFORE, "import jax\n" + replaced(BEFORE, "e\n", "E\n"))
    other = patching.diff("a.py", BEFORE, "import jax\n" + replaced(BEFORE, "j\n", "J\n"))
    merged = patching.merge([one, other], BEFORE)
    assert merged == ("import jax\n" + replaced(BEFORE, "e\n", "E\n").replace("j\n", "J\n"), ())


@pytest.mark.parametrize("second", ["c\nX\n", "C2\n"])
def test_a_patch_that_touches_a_changed_line_is_left_out_whole(second):
    one = patching.diff("a.py", BEFORE, replaced(BEFORE, "b\nc\nd\n", "B\n"))
    other = patching.diff("a.py", BEFORE, replaced(BEFORE, "c\n", second).replace("k\n", "K\n"))
    assert patching.merge([one, other], BEFORE) == (replaced(BEFORE, "b\nc\nd\n", "B\n"), (1,))


def test_two_insertions_at_one_place_collide():
    one, other = (patching.diff("a.py", BEFORE, replaced(BEFORE, "c\n", f"c\n{word}\n")) for word in ("one", "two"))
    assert patching.merge([one, other], BEFORE).left_out == (1,)


@pytest.mark.parametrize(
    "after", [BEFORE + "no newline", "", BEFORE.replace("f\n", "f\r\n\x0cF\n"), BEFORE.replace("l\n", "l")]
)
@pytest.mark.parametrize("tool", ["git", "patch"])
def test_git_and_patch_do_the_same(tmp_path, tool, after):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    patch = tmp_path / "x.patch"
    patch.write_bytes(patching.diff("a.py", BEFORE, after).encode())
    file = tmp_path / "a.py"
    file.write_bytes(BEFORE.encode())
    there = ["git", "apply", str(patch)] if tool == "git" else ["patch", "--binary", "-p1", "-s", "-i", str(patch)]
    back = [*there[:2], "-R", *there[2:]] if tool == "git" else [*there, "-R"]
    subprocess.run(there, cwd=tmp_path, check=True)
    assert (file.read_bytes() if file.exists() else b"") == after.encode()
    if after:  # patch(1) removes a file that has become empty
        subprocess.run(back, cwd=tmp_path, check=True)
        assert file.read_bytes() == BEFORE.encode()


@pytest.mark.parametrize(
    "content",
    [b"\xef\xbb\xbfx = 1\r\n", "# -*- coding: latin-1 -*-\ns = 'é'\n".encode("latin-1"), b"x = 1", b"\x0cx = 1\n\r\n"],
)
def test_a_file_written_unchanged_is_the_same_byte_for_byte(tmp_path, content):
    file = tmp_path / "a.py"
    file.write_bytes(content)
    file.chmod(0o750)
    source = sources.read(file)
    sources.write(source, source.text)
    assert file.read_bytes() == content
    assert file.stat().st_mode & 0o777 == 0o750
    assert sources.read(file).digest == source.digest
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


def test_a_text_that_the_encoding_does_not_have_leaves_the_file_alone(tmp_path):
    file = tmp_path / "a.py"
    file.write_bytes(b"# coding: ascii\n")
    with pytest.raises(sources.WhyjitError, match="it is as it was"):
        sources.write(sources.read(file), "é")
    assert file.read_bytes() == b"# coding: ascii\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]
