"""`whyjit compare` and `whyjit.compare`, on recordings made by hand."""

import json

import jsonschema
import msgspec
import pytest
import store_samples as samples

import whyjit
from whyjit import cli
from whyjit.present.comparison_json import schema
from whyjit.store import runs
from whyjit.store.writer import Writer


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two runs: `step` with three specializations, and with one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    made = []
    for count in (3, 1):
        folder = runs.create_run(tmp_path / ("before" if count == 3 else "after"), "train")
        writer = Writer.create(folder, samples.environment())
        specializations = tuple(samples.specialization(number) for number in range(1, count + 1))
        writer.write(samples.batch(functions=(samples.STEP,), specializations=specializations, final=True))
        writer.close()
        made.append(folder)
    return made


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare", *map(str, arguments)])
    return (ended.value.code, *capsys.readouterr())


def test_the_command_compares_two_runs(folders, capsys):
    status, out, err = call(capsys, *folders)
    assert (status, err) == (0, "")
    assert "traces 3 -> 1" in out
    assert "shape of `batch[0]`: 2 traces, 2 compiles, 2.0 s -> none" in out
    assert folders[0].name in "".join(out.split())


def test_runs_may_be_folders_of_runs_and_files(folders, capsys):
    whole = call(capsys, *folders)[1]
    for named in ([folder.parent for folder in folders], [runs.files(folder)[0] for folder in folders]):
        shown = call(capsys, *named)[1]
        assert shown.splitlines()[0] == whole.splitlines()[0]


@pytest.mark.parametrize("form", ["terminal", "json", "html", "markdown"])
def test_every_format_is_printed_or_written(folders, capsys, tmp_path, form):
    printed = call(capsys, *folders, "--format", form)[1]
    assert call(capsys, *folders, "--format", form, "-o", tmp_path / "out") == (0, "", "")
    assert (tmp_path / "out").read_text() == printed
    assert "step" in printed


def test_the_json_is_the_documented_one(folders, capsys):
    made = json.loads(call(capsys, *folders, "--format", "json")[1])
    jsonschema.validate(made, schema())
    (step,) = made["functions"]
    assert (step["state"], step["matched_by"], step["before"]["traces"], step["after"]["traces"]) == (
        "changed", "name", 3, 1,
    )  # fmt: skip
    assert whyjit.compare(*folders).report() == made


def test_what_is_no_run_is_refused_in_a_line(folders, capsys, tmp_path):
    for arguments in ([folders[0]], [folders[0], tmp_path / "none"], [*folders, "--format", "sarif"]):
        status, out, err = call(capsys, *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("whyjit: ")


def test_in_python_recordings_and_reports_may_be_given(folders):
    by_path = whyjit.compare(*folders)
    recorded = [whyjit.load(folder) for folder in folders]
    assert whyjit.compare(*recorded).report() == by_path.report()
    assert whyjit.compare(*[each.explained() for each in recorded]).report() == by_path.report()
    assert "traces 3 -> 1" in str(by_path)
    assert "step" in by_path._repr_html_()
    assert msgspec.json.encode(by_path.comparison)


def test_all_processes_of_a_run_are_counted_together(folders, capsys):
    child = samples.environment(pid=7)
    writer = Writer.create(folders[0], child, parent=1)
    batch = samples.batch(functions=(samples.STEP,), specializations=(samples.specialization(1),), final=True)
    writer.write(msgspec.structs.replace(batch, environment=child))
    writer.close()
    out = " ".join(call(capsys, *folders)[1].split())
    assert "traces 4 -> 1" in out
    assert "2 processes, counted together" in out
    assert "number of processes differs: 2 -> 1" in out
    found = json.loads(call(capsys, *folders, "--format", "json")[1])
    jsonschema.validate(found, schema())
    assert (found["before"]["processes"], found["after"]["processes"]) == (2, 1)
    one = whyjit.compare(whyjit.load(folders[0]), folders[1])
    assert (one.comparison.before.processes, one.comparison.before.totals.traces) == (1, 3)
    file = next(each for each in runs.files(folders[0]) if each.name.startswith("7-"))
    assert whyjit.compare(file, folders[1]).comparison.before.totals.traces == 1
