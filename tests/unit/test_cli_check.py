"""`whyjit check` on a recording made by hand: status, words, JSON, and what GitHub is told."""

import json

import jsonschema
import msgspec
import pytest
import store_samples as samples

from whyjit import cli
from whyjit.model.recording import Gap
from whyjit.present import check_json
from whyjit.store import runs
from whyjit.store.writer import Writer


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Stores a run of `step` with so many specializations, each called seven times more."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)

    def record(count, gaps=()):
        folder = runs.create_run(tmp_path / ".whyjit", "train")
        directory = samples.environment(directory=str(tmp_path))
        writer = Writer.create(folder, directory)
        specs = tuple(
            msgspec.structs.replace(
                samples.specialization(at), call_site=samples.Location(f"{tmp_path}/train.py", at + 30)
            )
            for at in range(1, count + 1)
        )
        rows = [
            samples.row(2 * at + more, number=at, event=event, count=times)
            for at in range(1, count + 1)
            for more, event, times in ((0, "new", 1), (1, "hit", 7))
        ]
        batch = samples.batch(functions=(samples.STEP,), specializations=specs, rows=tuple(rows), gaps=gaps, final=True)
        writer.write(msgspec.structs.replace(batch, environment=directory))
        writer.close()
        return folder

    return record


@pytest.fixture
def check(capsys):
    def check(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main(["check", *map(str, arguments)])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return check


def budget(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text("[tool.whyjit.budget]\n" + text)


def test_a_kept_budget_is_status_0_and_a_broken_one_1_with_the_reason(record, check, tmp_path):
    record(3)
    budget(tmp_path, "max_traces = 3\n")
    status, out, err = check()
    assert (status, err) == (0, "")
    assert "keeps to the budget in pyproject.toml: 1 limit compared" in out
    budget(tmp_path, "max_traces = 2\n")
    status, out, err = check()
    assert (status, err) == (1, "")
    assert "the run traced 3 times, 2 are allowed (max_traces)" in out
    words = " ".join(out.replace("`", "").split())
    assert "step called at train.py:33 broke it: batch[0] changed from f32[2,64] to f32[3,64]" in words
    assert "-> " in out


def test_no_new_specialization_after_a_call_is_judged_by_the_rows(record, check, tmp_path):
    record(3)
    budget(tmp_path, 'functions."step" = {warm_after_call = 8}\n')
    status, out, _ = check()
    assert status == 1
    assert "at its call 9, and 1 more after it" in out
    budget(tmp_path, 'functions."step" = {warm_after_call = 17}\n')
    assert check()[0] == 0


def test_a_recording_without_calls_leaves_that_unjudged(record, check, tmp_path):
    record(3, gaps=(Gap("hits", "not recorded"),))
    budget(tmp_path, 'functions."step" = {warm_after_call = 8}\n')
    status, out, _ = check()
    assert status == 0
    assert "not judged" in out


def test_json_holds_it_all(record, check, tmp_path):
    record(3)
    budget(tmp_path, "max_compiles = 1\n")
    status, out, _ = check("--format", "json")
    found = json.loads(out)
    assert status == 1
    jsonschema.validate(found, check_json.schema())
    assert (found["format"], found["version"], found["kept"]) == ("whyjit-check", 1, False)
    (breach,) = found["breaches"]
    assert breach["call_site"] == {"file": "train.py", "line": 32}
    assert (breach["limit"], breach["allowed"], breach["found"], breach["specialization"]) == ("max_compiles", 1, 3, 2)
    assert breach["cause"]
    assert breach["remedy"]


def test_github_is_told_the_line_and_gets_a_summary(record, check, tmp_path, monkeypatch):
    record(3)
    budget(tmp_path, "max_compiles = 1\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "summary.md").write_text("before\n")
    status, _, err = check("--github")
    assert status == 1
    (line,) = err.splitlines()
    assert line.startswith("::error file=train.py,line=32,title=whyjit%3A max_compiles::the run compiled 3 times, 1 is")
    text = (tmp_path / "summary.md").read_text()
    assert text.startswith("before\n")
    assert "compiled 3 times" in text


def test_a_baseline_is_written_kept_and_broken(record, check, tmp_path):
    record(2)
    status, out, err = check("--baseline", "base.toml", "--update")
    assert (status, out) == (0, "")
    assert "1 function" in err
    assert '"train.py:step" = { traces = 2, compiles = 2 }' in (tmp_path / "base.toml").read_text()
    assert check("--baseline", "base.toml")[0] == 0
    worse = record(3)
    status, out, _ = check("--baseline", "base.toml", worse)
    assert status == 1
    assert "step was traced 3 times; the baseline has 2" in out.replace("`", "")


def test_a_budget_and_a_baseline_hold_together(record, check, tmp_path):
    record(2)
    check("--baseline", "base.toml", "--update")
    budget(tmp_path, "max_traces = 1\n")
    assert check("--baseline", "base.toml")[0] == 0
    status, out, _ = check("--baseline", "base.toml", "--budget", "pyproject.toml")
    assert status == 1
    assert "the budget in pyproject.toml and the baseline base.toml" in out


@pytest.fixture
def two(record):
    """A run of two processes: one specialization in the first, two in a child that was traced later."""
    folder = record(1)
    child = samples.environment(pid=7, started=50.0)
    writer = Writer.create(folder, child, parent=1)
    specs = tuple(samples.specialization(at) for at in (1, 2))
    rows = (samples.row(1, event="new"), samples.row(2, event="hit", count=3), samples.row(3, number=2, event="new"))
    batch = samples.batch(functions=(samples.STEP,), specializations=specs, rows=rows, final=True)
    writer.write(msgspec.structs.replace(batch, environment=child))
    writer.close()
    return folder


def test_all_processes_of_a_run_are_counted_together(two, check, tmp_path):
    budget(tmp_path, "max_traces = 3\n")
    status, out, _ = check()
    assert status == 0
    assert "the 2 processes of the run are counted together" in " ".join(out.split())
    budget(tmp_path, "max_traces = 2\n")
    status, out, _ = check("--format", "json")
    found = json.loads(out)
    jsonschema.validate(found, check_json.schema())
    (breach,) = found["breaches"]
    assert (status, found["processes"], found["counted"]) == (1, 2, "together")
    assert (breach["found"], breach["process"], breach["specialization"]) == (3, "the process with pid 7", 2)


def test_each_process_can_be_held_to_a_budget_by_itself_or_the_first_alone(two, check, tmp_path):
    budget(tmp_path, "max_traces = 1\n")
    status, out, _ = check("--processes", "each", "--format", "json")
    found = json.loads(out)
    jsonschema.validate(found, check_json.schema())
    assert (status, found["checked"], found["counted"]) == (1, 2, "each")
    assert [(each["found"], each["process"]) for each in found["breaches"]] == [(2, "the process with pid 7")]
    status, out, _ = check("--processes", "first")
    assert status == 0
    assert "one process of the run is judged: 1 other process was recorded and left out" in " ".join(out.split())


def test_a_call_is_counted_in_its_own_process(two, check, tmp_path):
    budget(tmp_path, 'functions."step" = {warm_after_call = 4}\n')
    status, out, _ = check()
    assert status == 1
    assert "got a new specialization at its call 5;" in " ".join(out.split())
    budget(tmp_path, 'functions."step" = {warm_after_call = 5}\n')
    assert check()[0] == 0


def test_a_baseline_is_of_all_processes_or_of_the_first(two, check, tmp_path):
    assert check("--baseline", "all.toml", "--update")[0] == 0
    assert '"train.py:step" = { traces = 3, compiles = 3 }' in (tmp_path / "all.toml").read_text()
    assert check("--baseline", "all.toml")[0] == 0
    assert check("--baseline", "one.toml", "--update", "--processes", "first")[0] == 0
    assert check("--baseline", "one.toml")[0] == 1
    assert check("--baseline", "one.toml", "--update", "--processes", "each")[0] == 2


def test_a_damaged_recording_of_a_child_is_said(two, check, tmp_path):
    (two / "9-1.whyjit").write_bytes(b"nothing of the kind")
    budget(tmp_path, "max_traces = 3\n")
    status, out, _ = check()
    assert status == 0
    assert "left out:" in out


@pytest.mark.parametrize(
    ("arguments", "text", "words"),
    [
        ((), "", ["no budget", "max_compiles = 20"]),
        ((), "max_trace = 1\n", ["max_trace", "max_traces"]),
        (("--budget", "none.toml"), "", ["none.toml", "No such file"]),
        (("--baseline", "none.toml"), "", ["none.toml", "--update"]),
        (("--update",), "max_traces = 1\n", ["--baseline"]),
        (("nowhere",), "max_traces = 1\n", ["nowhere"]),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(record, check, tmp_path, arguments, text, words):
    record(1)
    (tmp_path / "pyproject.toml").write_text(f"[tool.whyjit.budget]\n{text}" if text else "")
    status, out, err = check(*arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert all(word in err for word in words)
