"""docs/how-to/probe.md: its programs run, and its commands print what the page shows."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "probe.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probe")
    program, script = (text for language, text in BLOCKS if language == "python")
    (folder / "model.py").write_text(program)
    (folder / "script.py").write_text(script)
    return folder


def run(folder, *arguments):
    env = {**os.environ, "COLUMNS": "110", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def follows(printed, shown):
    """What the page shows is printed, in its order; `...` stands for anything."""
    parts = [re.escape(part.strip("\n")) for part in re.split(r"^\.\.\.$", shown.strip(), flags=re.MULTILINE)]
    assert re.search(".*?".join(parts), printed, re.DOTALL), printed


def test_the_commands_print_what_the_page_shows(folder):
    commands = [text.removeprefix("$ ").partition("\n") for language, text in BLOCKS if language == "console"]
    assert len(commands) == 2
    for command, _, shown in commands:
        name, *arguments = shlex.split(command)
        assert name == "whyjit"
        follows(run(folder, "-m", "whyjit", *arguments), shown)


def test_the_script_prints_what_the_page_shows(folder):
    (shown,) = (text for language, text in BLOCKS if language == "text")
    follows(run(folder, "script.py"), shown)
