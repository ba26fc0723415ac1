"""docs/how-to/advise.md: its programs are run, and what the page shows is printed; what keeping arguments leaves."""

import json
import re
from pathlib import Path

import jsonschema
import launching
import pytest

pytest.importorskip("jax")
from whyjit.present import advice_json
from whyjit.store import kept, reader

pytestmark = pytest.mark.e2e

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "advise.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n((?:.*\n)*?)```", TEXT)
SHOWN = re.findall(r"```text\n((?:.*\n)*?)```", TEXT)


@pytest.fixture(scope="module")
def advised(tmp_path_factory):
    """The page's program recorded, and advice on it: the folder, and what was printed."""
    folder = tmp_path_factory.mktemp("advise")
    (folder / "train.py").write_text(PROGRAMS[0])
    how = {"COLUMNS": "100", "JAX_PLATFORMS": "cpu"}
    run = launching.recorded(["train.py"], folder, flags=("--quiet", "--keep-arguments"), **how)
    assert (run.status, run.out, run.err) == (0, "ramp cannot be traced\n", "")
    ended = launching.whyjit("advise", "--json", "advice.json", folder=folder, **how)
    assert (ended.status, ended.err) == (0, "")
    return folder, ended.out


@pytest.mark.parametrize("shown", SHOWN[:-1])
def test_the_page_shows_what_is_printed(advised, shown):
    lines = shown.rstrip("\n").split("\n")
    pattern = "\n".join(re.escape(line).replace(re.escape("..."), r"[^\n]*") for line in lines)
    assert re.search(pattern, advised[1]), advised[1]


def test_the_json_holds_to_its_schema_and_is_in_order_of_what_is_saved(advised):
    found = json.loads((advised[0] / "advice.json").read_text())
    jsonschema.Draft202012Validator(advice_json.schema()).validate(found)
    saved = [item["before"]["seconds"] - (item["after"] or {"seconds": 0})["seconds"] for item in found["items"]]
    assert [max(0, one) for one in saved] == sorted((max(0, one) for one in saved), reverse=True)
    assert {item["function"]: item["evidence"] for item in found["items"]} == {
        "step": "PROVEN",
        "evaluate": "PROVEN",
        "scaled": "SUGGESTED",
        "mean_of_pairs": "SUGGESTED",
        "ramp": "TESTED",
    }


def test_the_python_program_prints_what_the_page_shows(tmp_path):
    (tmp_path / "ask.py").write_text(PROGRAMS[1])
    ended = launching.plain(["ask.py"], tmp_path, JAX_PLATFORMS="cpu")
    assert (ended.status, ended.out) == (0, SHOWN[-1])


DONATING = """
import functools, jax, jax.numpy as jnp

@functools.partial(jax.jit, donate_argnums=0, static_argnames="rate")
def step(state, rate):
    return state + rate

state = jnp.arange(4.0)
for rate in (0.5, 0.25):
    old = state
    state = step(state, rate=rate)
    print(old.is_deleted())
print(state)
"""


def test_keeping_arguments_changes_nothing_and_copies_what_is_donated(tmp_path):
    (tmp_path / "program.py").write_text(DONATING)
    how = {"JAX_PLATFORMS": "cpu"}
    ended = launching.recorded(["program.py"], tmp_path, flags=("--quiet", "--keep-arguments"), **how)
    assert (ended.status, ended.out, ended.err) == (0, "True\nTrue\n[0.75 1.75 2.75 3.75]\n", "")
    file = reader.main_file(tmp_path / ".whyjit")
    (function,) = (function for function in reader.load(file).functions if function.name == "step")
    first, second = (kept.read(file, function.id, number) for number in (1, 2))
    assert first.missing == second.missing == ""
    assert first.args[0].data != second.args[0].data
    assert dict(second.kwargs)["rate"].text == "0.25"


def test_nothing_is_kept_unless_asked_for_and_no_more_than_the_limit(tmp_path):
    (tmp_path / "program.py").write_text(DONATING.replace("arange(4.0)", "arange(400_000.0)"))
    how = {"JAX_PLATFORMS": "cpu", "WHYJIT_KEEP_LIMIT_MB": "2"}
    launching.recorded(["program.py"], tmp_path, **how)
    assert not kept.folder_of(reader.main_file(tmp_path / ".whyjit")).exists()
    launching.recorded(["program.py"], tmp_path, flags=("--quiet", "--keep-arguments", "--out", "limited"), **how)
    file = reader.main_file(tmp_path / "limited")
    recording = reader.load(file)
    (function,) = (function for function in recording.functions if function.name == "step")
    assert kept.read(file, function.id, 1).missing == ""
    assert "may still be kept" in kept.read(file, function.id, 2).missing
    assert any("arguments of step" in gap.what for gap in recording.gaps)


def test_hidden_values_are_not_kept(tmp_path):
    (tmp_path / "program.py").write_text("")
    ended = launching.recorded(["program.py"], tmp_path, flags=("--redact", "--keep-arguments"))
    assert ended.status == 2
    assert "while values are hidden" in ended.err
