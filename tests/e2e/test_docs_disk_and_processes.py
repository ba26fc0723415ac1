"""docs/how-to/persistent-cache.md and many-processes.md: their programs run, and the commands print what they show."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from launching import WHYJIT, port, run

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e

PAGES = Path(__file__).resolve().parents[2] / "docs" / "how-to"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SECONDS = re.compile(r"\d[\d.]* (?:ms|s)\b")


def blocks(page, kind):
    return [text for found, text in FENCE.findall((PAGES / page).read_text()) if found == kind]


def plain(text):
    """Text without times and line ends, which vary."""
    return " ".join(SECONDS.sub("TIME", text).split())


def commands(text):
    """Each command of a console with the lines that it is shown to print."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def start(command, folder):
    """Run a line of the page: variables, then whyjit or another command."""
    words = shlex.split(command)
    variables = {}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        variables[name] = value
    return run([*(WHYJIT if words[0] == "whyjit" else words[:1]), *words[1:]], folder, JAX_PLATFORMS="cpu", **variables)


def test_persistent_cache(tmp_path):
    (program,) = blocks("persistent-cache.md", "python")
    (tmp_path / "train.py").write_text(program)
    for command, shown in [one for text in blocks("persistent-cache.md", "console") for one in commands(text)]:
        if command.startswith("sed"):
            text = (tmp_path / "train.py").read_text()
            line = re.search(r"/a (.*)' train.py", command)[1]
            (tmp_path / "train.py").write_text(re.sub(r"(?m)^(jax\.config.*)$", rf"\1\n{line}", text))
            continue
        # The page's program compiles within JAX's usual threshold of a second; on a busy machine it may not.
        ended = start(f"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=1000 {command}", tmp_path)
        assert ended.status == 0, ended.err
        assert plain("\n".join(shown)) in plain(ended.out.replace("_secs (1000)", "_secs (1)")), ended.out


def test_many_processes(tmp_path):
    (program,) = blocks("many-processes.md", "python")
    recording, reading = (commands(text) for text in blocks("many-processes.md", "console"))
    with port() as number:
        (tmp_path / "train.py").write_text(program.replace("PORT", str(number)))
        started = [
            subprocess.Popen(
                [*WHYJIT, *shlex.split(command.removesuffix(" &"))[1:]],
                cwd=tmp_path,
                env={**os.environ, "JAX_PLATFORMS": "cpu"},
                stderr=subprocess.DEVNULL,
            )
            for command, _ in recording
        ]
        assert [process.wait(timeout=600) for process in started] == [0, 0]
    ((command, shown),) = reading
    assert plain("\n".join(shown)) in plain(start(command, tmp_path).out)
