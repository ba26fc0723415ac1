"""Budgets and baselines as people write them, and what they are told about mistakes."""

import pytest

from whyjit.errors import WhyjitError
from whyjit.guards import baselines, budgets
from whyjit.model.budget import Budget, Known, Limits

FULL = """
[tool.whyjit.budget]
max_compiles = 20
max_compile_s = 12.5

[tool.whyjit.budget.functions."train_*"]
max_traces = 2
max_needless_retraces = 0
warm_after_call = 3
"""


def test_the_nearest_pyproject_is_read(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text(FULL)
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    each = Limits(max_traces=2, max_needless_retraces=0, warm_after_call=3)
    expected = Budget(Limits(max_compiles=20, max_compile_s=12.5), (("train_*", each),))
    assert budgets.find(None) == (expected, tmp_path / "pyproject.toml")


def test_a_file_of_its_own_needs_no_outer_tables(tmp_path):
    (tmp_path / "budget.toml").write_text('max_traces = 3\n[functions."f"]\nmax_compiles = 1\n')
    found, _ = budgets.find(tmp_path / "budget.toml")
    assert found == Budget(Limits(max_traces=3), (("f", Limits(max_compiles=1)),))


def test_no_budget_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    assert budgets.find(None) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max_trace = 3", ["no limit 'max_trace'", "did you mean max_traces?"]),
        ('[functions."f"]\nwarm_after = 3', ['functions."f"', "'warm_after'", "did you mean warm_after_call?"]),
        ("max_traces = -1", ["max_traces = -1", "whole number"]),
        ("max_traces = 1.5", ["max_traces = 1.5", "whole number"]),
        ("max_traces = true", ["max_traces = True"]),
        ("max_compile_s = nan", ["max_compile_s = nan", "seconds"]),
        ('max_compile_s = "1"', ["max_compile_s = '1'", "seconds"]),
        ("warm_after_call = 3", ["warm_after_call", "for functions"]),
        ("functions = 3", ["functions", "table"]),
        ("[functions]\nf = 3", ["functions", "table"]),
        ("max_traces =", ["cannot read", "mend"]),
        ("", ["holds no budget"]),
    ],
)
def test_a_mistake_is_named_in_one_line(tmp_path, text, words):
    file = tmp_path / "budget.toml"
    file.write_text(text)
    with pytest.raises(WhyjitError) as raised:
        budgets.find(file)
    assert all(word in raised.value.message for word in [*words, str(file)])
    assert "\n" not in raised.value.message


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(WhyjitError, match=r"nowhere\.toml.*No such file"):
        budgets.find(tmp_path / "nowhere.toml")


def test_a_budget_that_is_no_table_is_refused(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.whyjit]\nbudget = 3\n")
    with pytest.raises(WhyjitError, match="no table"):
        budgets.find(tmp_path / "pyproject.toml")


def test_a_baseline_is_small_and_reads_back(tmp_path):
    known = (Known('src/a.py:f.<locals>."g"', 1, 1), Known("src/a.py:step", 12, 11, 3))
    file = tmp_path / "base.toml"
    file.write_text(baselines.text(known, file))
    assert baselines.read(file) == known
    assert (
        file.read_text().splitlines()[-1] == '"src/a.py:step" = { traces = 12, compiles = 11, needless_retraces = 3 }'
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "no baseline"),
        ('format = "whyjit-baseline"\nversion = 2\n', "version 2"),
        ('format = "whyjit-baseline"\nversion = 1\nfunctions = 3\n', "no table"),
        ('format = "whyjit-baseline"\nversion = 1\n[functions]\nf = {traces = 1}\n', "compiles"),
        ('format = "whyjit-baseline"\nversion = 1\n[functions]\nf = {traces = 1, compiles = "x"}\n', "compiles = 'x'"),
        ("[", "cannot read"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path, text, word):
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(WhyjitError, match=word):
        baselines.read(tmp_path / "b.toml")
    with pytest.raises(WhyjitError, match="--update"):
        baselines.read(tmp_path / "missing.toml")


@pytest.mark.parametrize("name", ["p\N{GRINNING FACE}.py:f", 'a"b\\c.py:f', "tab\t\x7f\x01.py:f", "é.py:f"])
def test_any_name_reads_back(tmp_path, name):
    file = tmp_path / "base.toml"
    known = (Known(name, 1, 2),)
    file.write_text(baselines.text(known, file), encoding="utf-8")
    assert baselines.read(file) == known


def test_a_name_that_is_no_text_can_be_written(tmp_path):
    file = tmp_path / "base.toml"
    file.write_text(baselines.text((Known("p\udc80.py:f", 1, 2),), file), encoding="utf-8")
    assert baselines.read(file) == (Known("p\\udc80.py:f", 1, 2),)
