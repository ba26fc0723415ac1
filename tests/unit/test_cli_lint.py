"""`whyjit lint`, and its page in the documentation, which shows what is printed."""

import re
from pathlib import Path

from click.testing import CliRunner

from whyjit.cli import command

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "lint.md").read_text(encoding="utf-8")


def linted(folder, monkeypatch, *arguments):
    monkeypatch.chdir(folder)
    return CliRunner().invoke(command, ["lint", *arguments])


def test_the_page_shows_what_is_printed(tmp_path, monkeypatch):
    (program,) = re.findall(r"```python\n((?:.*\n)*?)```", PAGE)
    (shown,) = re.findall(r"```console\n\$ whyjit lint train.py\n((?:.*\n)*?)```", PAGE)
    (tmp_path / "train.py").write_text(program)
    ended = linted(tmp_path, monkeypatch, "train.py")
    assert (ended.exit_code, ended.stdout) == (1, shown)
    assert ended.stderr == "whyjit: 3 hazards in 1 file\n"


def test_a_folder_is_read_but_for_what_is_hidden_or_installed(tmp_path, monkeypatch):
    hazard = "import jax, random\n\n@jax.jit\ndef f(x):\n    return x * random.random()\n"
    for name in ("a.py", "sub/b.py", ".venv/c.py", "lib/site-packages/d.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(hazard)
    ended = linted(tmp_path, monkeypatch)
    assert [line.split(":")[0] for line in ended.stdout.splitlines()] == ["a.py", "sub/b.py"]


def test_a_file_that_cannot_be_read_is_told_and_left_out(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("import jax; x = = 1\n")
    ended = linted(tmp_path, monkeypatch, "a.py")
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert ended.stderr.startswith("whyjit: a.py is left out: line 1")
