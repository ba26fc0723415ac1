"""The how-to pages about reports: their programs run, and their commands print what the pages show."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to"


def blocks(page):
    """The page's code, in order: language and text."""
    text = (HOW_TO / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w+[^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(command, folder):
    arguments = shlex.split(command)
    assert arguments[0] == "whyjit"
    done = subprocess.run(
        [sys.executable, "-m", "whyjit", *arguments[1:]],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def follows(printed, shown):
    """What the page shows is printed, in its order; `...` stands for anything, in a line or as one."""
    squeezed = " ".join(printed.split())
    pattern = ".*?".join(re.escape(" ".join(part.split())) for part in re.split(r"\.\.\.", shown.strip()))
    pattern = pattern.replace(r"\ ", r"\s*").replace(" ", r"\s*")
    assert re.search(pattern, squeezed, re.DOTALL), (shown, printed)


def console(text, folder):
    """Run each command of a block, and compare what it prints."""
    for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        printed = run(command, folder)
        if shown.strip():
            follows(printed, shown)
        else:
            assert printed == ""


def test_compare_two_runs(tmp_path):
    programs = 0
    for language, text in blocks("compare-two-runs.md"):
        if language == "console":
            console(text, tmp_path)
        elif "jax" in text:
            (tmp_path / "decay.py").write_text(text)
            programs += 1
        else:
            done = subprocess.run(
                [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            assert "static `rate`: 5 traces, 5 compiles" in done.stdout
    assert programs == 2
    assert "static-is-data" in (tmp_path / "summary.md").read_text()
    assert "static-is-data" in (tmp_path / "compare.html").read_text()
    assert json.loads((tmp_path / "compare.json").read_text())["format"] == "whyjit-compare"


def test_open_a_run_elsewhere(tmp_path):
    pytest.importorskip("duckdb")
    pytest.importorskip("perfetto")
    for language, text in blocks("open-a-run-elsewhere.md"):
        if language == "python":
            (tmp_path / "sizes.py").write_text(text)
        else:
            console(text, tmp_path)
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "run.pftrace").stat().st_size > 1000
    assert "shape-churn" in (tmp_path / "summary.md").read_text()
    (log,) = json.loads((tmp_path / "whyjit.sarif").read_text())["runs"]
    assert "shape-churn" in [result["ruleId"] for result in log["results"]]


def test_use_in_a_notebook(tmp_path):
    pytest.importorskip("ipykernel")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    from test_notebook import execute, kernel_here, shown

    found = blocks("use-in-a-notebook.md")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text.rstrip()) for _, text in found])
    for cell, (language, _) in zip(notebook.cells, found, strict=True):
        cell.metadata["tags"] = ["raises-exception"] if language == "python raises" else []
    with kernel_here(tmp_path):
        execute(notebook, tmp_path)
    texts = [" ".join(shown(cell).split()) for cell in notebook.cells]
    assert "shape-churn: `x` came in 4 lengths" in texts[2]
    assert "f32[2] -> f32[3]" in texts[3]
    assert "compiles 3 -> 1" in texts[6]
    assert "branch-on-value" in texts[7]
    assert "new-function-each-call" in texts[8]
    assert (tmp_path / "report.html").exists()


def test_query_a_run(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    # As the example: a static that changes in each round, and two sizes.
    (tmp_path / "small.py").write_text(
        "import functools, jax, jax.numpy as jnp\n"
        "@functools.partial(jax.jit, static_argnames='eta')\n"
        "def train_step(images, eta):\n    return images * eta\n"
        "for eta in (0.5, 0.25):\n    for size in (3, 2):\n        train_step(jnp.ones(size), eta)\n"
    )
    run("whyjit run --quiet --out runs small.py", tmp_path)
    run("whyjit export runs -o tables", tmp_path)
    queries = [text for language, text in blocks("query-a-run.md") if language == "sql"]
    heads = re.findall(r"^```\n\n\| (.+) \|$", (HOW_TO / "query-a-run.md").read_text(), re.MULTILINE)
    assert len(queries) == len(heads) == 3
    results = []
    for query, head in zip(queries, heads, strict=True):
        done = duckdb.connect().execute(query.replace("'tables/", f"'{tmp_path}/tables/"))
        assert [column[0] for column in done.description] == head.split(" | ")
        results.append(done.fetchall())
    causes = {row[:4] for row in results[0]}
    assert {("train_step", "static", "eta", 1), ("train_step", "shape", "images", 2)} < causes
    assert [row[:4] for row in results[1]] == [("train_step", "images", [2], 2), ("train_step", "images", [3], 2)]
    assert sum(row[2] for row in results[2]) >= 4
