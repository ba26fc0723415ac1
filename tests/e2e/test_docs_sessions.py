"""The how-to pages on budgets, frozen, pytest, OpenTelemetry, long runs, warm-up and buckets: each does what it shows.

A page's blocks are followed in their order. A Python block is the file that its first line names, a TOML block the
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
        *("budgets", "frozen", "pytest", "opentelemetry", "long-runs", "warm-up"),
        pytest.param("buckets", marks=pytest.mark.slow),  # measures and tries two functions
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
                follows(printed(command, tmp_path), shown, command)
    assert {"python", "console"} <= set(seen)


def printed(command, folder):
    """What a command of the page prints on standard output."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def follows(text, shown, command):
    """Each line of the page was printed, in order; `...` stands for lines, or for a part of a line, left out."""
    parts = [re.escape(part) for part in shown.rstrip("\n").split("...")]
    pattern = "(?:.|\n)*?".join(parts)
    assert re.fullmatch(pattern + r"\s*", text), (command, text)
