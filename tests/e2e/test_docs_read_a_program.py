"""docs/how-to/read-a-program.md: the program in it is run, and each command prints what the page shows."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "read-a-program.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ (.+)\n((?:.*\n)*?)```", TEXT)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("waves")
    (program,) = re.findall(r"```python\n((?:.*\n)*?)```", TEXT)
    (folder / "waves.py").write_text(program)
    return folder


def test_each_command_prints_what_the_page_shows(folder):
    assert len(BLOCKS) == 8
    for command, shown in BLOCKS:
        arguments = shlex.split(command)
        assert arguments[0] == "whyjit"
        env = {**os.environ, "COLUMNS": "100", "JAX_PLATFORMS": "cpu"}
        done = subprocess.run(
            [sys.executable, "-m", "whyjit", *arguments[1:]],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        follows(done.stdout, shown, command)


def follows(printed, shown, command):
    """Each line of the page is printed, in order; `...` stands for lines, or for the rest of a line, left out."""
    lines = iter(printed.split("\n"))
    loose = False
    for want in shown.rstrip("\n").split("\n"):
        if want == "...":
            loose = True
            continue
        matches = (lambda line, start=want[:-3]: line.startswith(start)) if want.endswith("...") else want.__eq__
        if loose:
            assert any(matches(line) for line in lines), (command, want, printed)
        else:
            line = next(lines, None)
            assert line is not None, (command, want)
            assert matches(line), (command, want, line)
        loose = False
