"""Small programs with the right answer beside them, in tests/cases. The truth of each was measured without whyjit."""

import importlib.metadata
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from expecting import CHECKS

HERE = Path(__file__).resolve().parent
CASES = sorted(path.parent for path in (HERE.parent / "cases").glob("*/expect.toml"))


def expectations(case):
    return tomllib.loads((case / "expect.toml").read_text())


def missing(case):
    """The packages that a case needs and that do not import here; they may be too new or too old for this JAX."""
    return [name for name in expectations(case).get("needs", []) if not importable(name)]


def importable(name, known={}):  # noqa: B006 - asked once per package
    if name not in known:
        command = [sys.executable, "-c", f"import {name}"]
        known[name] = subprocess.run(command, capture_output=True, check=False).returncode == 0
    return known[name]


def too_old(case):
    """Whether a case is about something that this JAX does not do yet, or does otherwise."""
    since = expectations(case).get("since", "0")
    here = importlib.metadata.version("jax")
    return [int(part) for part in here.split(".")[:3]] < [int(part) for part in since.split(".")]


@pytest.fixture(scope="module")
def ran():
    """All cases, run in one process of their own."""
    folders = [str(case) for case in CASES if not missing(case) and not too_old(case)]
    command = [sys.executable, str(HERE / "running.py"), *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case, ran):
    absent = missing(case)
    if absent:
        pytest.skip(f"{', '.join(absent)} cannot be imported here")
    if too_old(case):
        pytest.skip("this JAX does otherwise")
    answer = ran[case.name]
    assert not [gap for gap in answer["report"]["gaps"] if "whyjit met" in gap["reason"]]
    for want in expectations(case)["expect"]:
        said = CHECKS[want["that"]](answer["report"], want)
        assert said == "", (want, said, answer["error"])
