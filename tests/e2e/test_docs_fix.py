"""docs/how-to/fix.md: its program is run, patched, run again, and taken back; what the page shows is printed."""

import re
import shutil
import subprocess
from pathlib import Path

import launching
import pytest

pytest.importorskip("jax")

pytestmark = pytest.mark.e2e

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "fix.md"
TEXT = PAGE.read_text(encoding="utf-8")
(PROGRAM,) = re.findall(r"```python\n((?:.*\n)*?)```", TEXT)
(PATCH,) = re.findall(r"```diff\n((?:.*\n)*?)```", TEXT)
LEFT_OUT, CHANGED, COMPARED, NOTHING = re.findall(r"```text\n((?:.*\n)*?)```", TEXT)
HOW = {"COLUMNS": "100", "JAX_PLATFORMS": "cpu"}


def shows(shown, printed):
    lines = shown.rstrip("\n").split("\n")
    return re.search("\n".join(re.escape(line).replace(re.escape("..."), r"[^\n]*") for line in lines), printed)


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """What is printed, and what the program is, from step to step; the run, and the folder."""
    folder = tmp_path_factory.mktemp("fix")
    program = folder / "train.py"
    program.write_text(PROGRAM)
    run = launching.recorded(["train.py"], folder, flags=("--quiet", "--keep-arguments"), **HOW)
    assert (run.status, run.out.split(), run.err) == (0, re.findall(r"^(Tracer\w+)$", TEXT, re.MULTILINE), "")
    (recorded,) = (path for path in (folder / ".whyjit").iterdir() if path.is_dir())
    shown = launching.whyjit("fix", folder=folder, **HOW)
    assert program.read_text() == PROGRAM
    applied = launching.whyjit("fix", "--apply", "--tested", "--verify-run", folder=folder, **HOW)
    patched = program.read_text()
    name = str(recorded.relative_to(folder))
    again = launching.whyjit("fix", "--apply", "--tested", "--run", name, folder=folder, **HOW)
    assert program.read_text() == patched
    return folder, recorded, shown, applied, again


def test_the_patch_is_shown_alone_and_what_is_left_out_beside_it(steps):
    shown = steps[2]
    assert (shown.status, shown.out) == (0, PATCH)
    assert shows(LEFT_OUT, shown.err), shown.err


def test_it_is_applied_the_program_runs_and_the_runs_are_compared(steps):
    folder, _, _, applied, _ = steps
    assert applied.status == 0, applied.err
    assert shows(CHANGED, applied.err), applied.err
    assert shows(COMPARED, applied.out), applied.out
    ended = launching.plain(["train.py"], folder, JAX_PLATFORMS="cpu")
    assert ended.out.split("\n")[-2] == "TracerBoolConversionError"
    assert re.match(r"\[0\. +0\.26726\d+ +0\.53452\d* +0\.80178\d*", ended.out)


def test_comments_and_all_else_are_kept(steps):
    before, after = PROGRAM.split("\n"), (steps[0] / "train.py").read_text().split("\n")
    changed = [line for line in before if line not in after]
    assert changed == [
        "    if norm > limit:",
        "        gradient = gradient * limit / norm",
        "    return np.tanh(x).mean()  # between -1 and 1",
    ]
    assert "    return jnp.tanh(x).mean()  # between -1 and 1" in after


def test_a_second_time_nothing_is_changed(steps):
    again = steps[4]
    assert (again.status, again.out) == (0, "")
    assert shows(NOTHING, again.err), again.err


def test_the_patch_in_the_runs_folder_takes_it_back(steps, tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder, recorded, *_ = steps
    shutil.copy(folder / "train.py", tmp_path / "train.py")
    subprocess.run(["git", "apply", "-R", recorded / "fix-1.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "train.py").read_text() == PROGRAM


def test_a_file_that_has_changed_since_is_left_alone(steps):
    folder, recorded, *_ = steps
    (folder / "train.py").write_text(PROGRAM + "# more\n")
    (recorded / "advice.msgpack").unlink()
    ended = launching.whyjit("fix", "--apply", "--tested", "--run", str(recorded), folder=folder, **HOW)
    assert (ended.status, ended.out) == (0, "")
    assert "there is nothing to apply" in ended.err
    assert (folder / "train.py").read_text() == PROGRAM + "# more\n"


def test_a_run_of_the_changed_program_needs_a_change(tmp_path):
    ended = launching.whyjit("fix", "--verify-run", folder=tmp_path)
    assert ended.status == 2
    assert "needs --apply" in ended.err
