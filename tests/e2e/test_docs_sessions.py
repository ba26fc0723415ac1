"""The tutorial, and the how-to pages that show sessions in a shell: each does what it shows.

Its blocks are followed in their order. A Python block is the file that its first line names, a TOML block the
pyproject.toml; a console block is a session in which each command prints what stands below it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e

PAGES = Path(__file__).resolve().parents[2] / "docs" / "how-to"
BLOCKS = re.compile(r"```(python|toml|console)\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(
    "name",
    [
        *("budgets", "frozen", "pytest", "opentelemetry", "long-runs", "warm-up", "private-data"),
        pytest.param("buckets", marks=pytest.mark.slow),  # measures and tries two functions
        pytest.param("../tutorial/first-finding", marks=pytest.mark.slow),
    ],
)
def test_the_page_does_what_it_shows(name, tmp_path, monkeypatch):
    if name == "opentelemetry":
        pytest.importorskip("opentelemetry.sdk")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    seen = []
    for kind, text in BLOCKS.findall((PAGES / f"{name}.md").read_text(encoding="utf-8")):
        seen.append(kind)
        if kind == "python":
            first, _, _ = text.partition("\n")
            (tmp_path / re.fullmatch(r"# (\w+\.py)", first)[1]).write_text(text)
        elif kind == "toml":
            (tmp_path / "pyproject.toml").write_text(text)
        else:
            for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, shown = session.partition("\n")
                done = ran(command, tmp_path)
                if name.startswith("../tutorial"):
                    follows(" ".join((done.stdout + done.stderr).split()), loosely(shown), command)
                else:
                    follows(done.stdout, shown, command)
    assert {"python", "console"} <= set(seen)


def test_the_program_in_the_readme_runs(tmp_path):
    """It records the reader's own `train`."""
    text = (PAGES.parents[1] / "README.md").read_text(encoding="utf-8")
    (program,) = (block for kind, block in BLOCKS.findall(text) if kind == "python")
    train = "import jax\n\n\ndef train(steps):\n    jax.jit(lambda x: x + 1)(1.0)\n\n\n"
    (tmp_path / "part.py").write_text(train + program)
    assert "<lambda> 1 1 1\n" in ran(f"JAX_PLATFORMS=cpu {sys.executable} part.py", tmp_path).stdout


def ran(command, folder):
    """A command of the page, run."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def loosely(shown):
    """What is shown as one line: the summary of a run breaks its lines where the seconds in them let it."""
    return re.sub(r"\s*\.\.\.\s*", "...", " ".join(shown.split()))


def follows(text, shown, command):
    """Each line of the page was printed, in order; `...` stands for lines, or for a part of a line, left out."""
    parts = [re.escape(part) for part in shown.rstrip("\n").split("...")]
    pattern = "(?:.|\n)*?".join(parts)
    assert re.fullmatch(pattern + r"\s*", text), (command, text)
