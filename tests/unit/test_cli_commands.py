"""The commands that read a recording, on one made by hand: no JAX is needed."""

import json
import os
import subprocess
import sys

import click
import jsonschema
import msgspec
import pytest
import store_samples as samples

from whyjit import advising, cli
from whyjit.experiment.plan import KINDS
from whyjit.model.source import Location
from whyjit.present import function_json
from whyjit.rewrite.advisers import Advised
from whyjit.store import programs, runs
from whyjit.store.writer import Writer


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run with two specializations of `step`, whose programs differ."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    folder = runs.create_run(tmp_path / ".whyjit", "train")
    writer = Writer.create(folder, samples.environment())
    (equation,) = samples.PROGRAM.equations
    equation = msgspec.structs.replace(equation, primitive="add", file=str(tmp_path / "train.py"), line=2)
    (tmp_path / "train.py").write_text("def step(x):\n    return x + 2.0  # here\n")
    other = msgspec.structs.replace(samples.PROGRAM, equations=(equation,))
    second = msgspec.structs.replace(samples.specialization(2), program="p2")
    third = msgspec.structs.replace(samples.specialization(3), program="", error="ValueError")
    batch = samples.full_batch()
    kept = (*batch.programs, ("p2", programs.encode(other)))
    specs = (samples.specialization(1), second, third)
    writer.write(msgspec.structs.replace(batch, specializations=specs, programs=kept, final=True))
    writer.close()
    return folder


@pytest.fixture
def whyjit(capsys):
    def whyjit(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return whyjit


def fine(answer):
    status, out, err = answer
    assert (status, err) == (0, "")
    return out


def refused(answer):
    """A fault is one line on standard error, and exit status 2."""
    status, out, err = answer
    assert (status, out) == (2, "")
    assert err.startswith("whyjit: ")
    assert err.count("\n") == 1
    return err


def test_report_reads_the_newest_run_or_the_one_named(whyjit, run):
    newest = fine(whyjit("report"))
    assert "step" in newest
    assert str(run.relative_to(run.parent.parent)) in newest
    for named in (run, run.parent, runs.files(run)[0]):
        assert "step" in fine(whyjit("report", named))


@pytest.mark.parametrize("form", ["json", "markdown", "html"])
def test_report_in_other_formats(whyjit, run, tmp_path, form):
    printed = fine(whyjit("report", "--format", form))
    assert "step" in printed
    assert fine(whyjit("report", "--format", form, "-o", tmp_path / "out")) == ""
    assert (tmp_path / "out").read_text() == printed


def test_report_as_json_is_the_documented_one(whyjit, run):
    report = json.loads(fine(whyjit("report", "--format", "json", run)))
    assert (report["format"], report["version"]) == ("whyjit", 1)
    (function,) = report["functions"]
    assert [spec["number"] for spec in function["specializations"]] == [1, 2, 3]


def test_a_format_that_is_not_there_is_refused_before_anything_else(whyjit, run):
    assert "'yaml' is not one of 'terminal', 'json'" in refused(whyjit("report", "--format", "yaml"))


def test_a_file_that_cannot_be_written_is_named(whyjit, run, tmp_path):
    message = refused(whyjit("report", "--format", "json", "-o", tmp_path / "no" / "out.json"))
    assert "cannot write" in message
    assert "No such file or directory" in message


def test_ledger_shows_a_row_for_each_call(whyjit, run):
    out = fine(whyjit("ledger", "step"))
    assert "train.py:9" in out
    assert "new" in out
    assert "hit" in out
    assert fine(whyjit("ledger", "train.py:step", run, "--all"))


def test_why_shows_each_specialization(whyjit, run):
    out = fine(whyjit("why", "step"))
    assert "batch[0]" in out
    assert fine(whyjit("why", "step", run, "--all"))


def test_show_prints_the_program_with_its_source(whyjit, run):
    last = fine(whyjit("show", "step"))
    assert "add" in last
    assert "return x + 2.0  # here" in last
    assert "mul" in fine(whyjit("show", "step@1", run))


def test_show_prints_a_difference(whyjit, run):
    out = fine(whyjit("show", "step@1..2"))
    assert "step@1" in out
    assert "step@2" in out
    assert "mul" in out
    assert "add" in out
    assert fine(whyjit("show", "step@1..2", "--all"))


def test_show_says_why_there_is_no_program(whyjit, run):
    assert "the program of step@3 was not kept: it was not traced, or its trace failed; those of 1, 2 were" in refused(
        whyjit("show", "step@3")
    )
    assert "step has no specialization 9; it has 1 to 3" in refused(whyjit("show", "step@9"))


def test_an_unknown_function_lists_near_ones(whyjit, run):
    for command in ("ledger", "why", "show"):
        assert "no function stepp in this run; did you mean step?" in refused(whyjit(command, "stepp"))


def test_other_processes_are_named(whyjit, run):
    child = Writer.create(run, samples.environment(), parent=7)
    child.write(samples.batch(functions=(samples.STEP,)))
    child.close()
    status, _, err = whyjit("report")
    assert status == 0
    assert err.startswith("whyjit: 1 more process of this run was recorded; report on one by its file: ")


def test_no_run_is_one_line(whyjit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "nothing has been recorded in .whyjit yet" in refused(whyjit("report"))
    assert "there is no run at gone" in refused(whyjit("why", "f", "gone"))
    (tmp_path / "a.whyjit").write_text("hello")
    assert "is not a recording of whyjit" in refused(whyjit("report", "a.whyjit"))


def test_the_folder_of_runs_is_a_setting(whyjit, run, monkeypatch):
    run.parent.rename("elsewhere")
    monkeypatch.setenv("WHYJIT_OUT", "elsewhere")
    assert "step" in fine(whyjit("report"))
    monkeypatch.setenv("WHYJIT_COLOR", "blue")
    assert "color = 'blue' in the environment (WHYJIT_COLOR) is not valid" in refused(whyjit("report"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reprot"], "there is no command 'reprot'; did you mean report?; see: whyjit --help"),
        (["train.py"], "there is no command 'train.py'; to run a script: whyjit run train.py; see: whyjit --help"),
        (["zzz"], "there is no command 'zzz'; choose from: run, report, "),
        (["why"], "Missing argument 'FUNCTION'; see: whyjit why --help"),
        (["report", "a", "b"], "Got unexpected extra argument (b); see: whyjit report --help"),
        (["run"], "name the script to run, or a module after -m; see: whyjit run --help"),
        (["run", "--oot", "x", "a.py"], "No such option '--oot'"),
        (["explain", "shape-chrn"], "there is no code shape-chrn; did you mean shape-churn or "),
        (["explain", "qqq"], "there is no code qqq; list the codes with: whyjit explain"),
    ],
)
def test_wrong_usage_is_one_line(whyjit, arguments, message):
    assert message in refused(whyjit(*arguments))


def test_explain_prints_the_page_of_every_code(whyjit):
    from whyjit.analyse.pages import codes as all_codes
    from whyjit.cli import pages

    index = fine(whyjit("explain"))
    codes = all_codes()
    assert {"static-is-data", "shape", "branch-on-value"} <= set(codes)
    for code in codes:
        assert code in index
        page = fine(whyjit("explain", code))
        assert code in page
        assert "What to do" in page
        assert pages.markdown(code)
    assert pages.markdown("no-such-code") is None
    assert fine(whyjit("explain", "Shape_Churn")) == fine(whyjit("explain", "shape-churn"))


def test_help_lists_every_command_in_a_whole_line_and_each_has_help(whyjit, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    index = fine(whyjit("--help"))
    assert fine(whyjit()) == index
    for name in cli.command.list_commands(None):
        (line,) = (line for line in index.splitlines() if line.startswith(f"  {name} "))
        assert line.endswith(".")
        assert not line.endswith("...")
        page = fine(whyjit(name, "--help"))
        assert page.startswith(f"Usage: whyjit {name} ")
        assert line.removeprefix(f"  {name} ").strip() in page
    assert fine(whyjit("--version")).startswith("whyjit ")


def test_options_of_one_name_are_one_option(whyjit):
    said = {}
    for name in cli.command.list_commands(None):
        for option in cli.command.get_command(None, name).params:
            if isinstance(option, click.Option):
                assert option.help, (name, option.name)
                said.setdefault(option.opts[-1], set()).add(option.metavar)
    several = {option: metavars for option, metavars in said.items() if len(metavars) > 1}
    assert several == {"--output": {"FILE", "DIR"}}  # an export is a folder of files


def test_probe_names_the_kinds_of_factors(whyjit):
    page = " ".join(fine(whyjit("probe", "--help")).split())
    for kind in KINDS:
        assert kind in page


def test_output_goes_to_any_encoding(run, tmp_path):
    command = [sys.executable, "-m", "whyjit", "report"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert done.stdout.isascii()
    assert b"step" in done.stdout


def test_colour_is_for_those_who_have_it(whyjit, run, monkeypatch):
    assert "\x1b[" not in fine(whyjit("why", "step"))
    monkeypatch.setenv("WHYJIT_COLOR", "always")
    assert "\x1b[" in fine(whyjit("why", "step"))
    monkeypatch.setenv("WHYJIT_COLOR", "never")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" not in fine(whyjit("why", "step"))


def test_a_reader_that_stops_early_is_no_fault(run, tmp_path):
    command = f"{sys.executable} -m whyjit report --format json | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    assert done.stderr == b""
    assert done.stdout == b"{\n"


@pytest.mark.parametrize("arguments", [["--help"], ["report"], ["why", "step"], ["show", "step"], ["explain"]], ids=str)
def test_commands_that_read_do_not_load_jax(run, tmp_path, arguments):
    code = (
        "import sys; from whyjit.cli import main\n"
        f"try: main({arguments})\n"
        "except SystemExit: print('jax' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True, text=True)
    assert done.stderr == "False\n"


def test_rows_of_strange_places_are_shown(whyjit, run):
    path = runs.files(run)[0]
    writer = Writer(path)
    strange = msgspec.structs.replace(samples.row(9), call_site=Location("a\nb\x1b[31m", 1, "f\udcff"))
    writer.write(samples.batch(rows=(strange,), final=True))
    writer.close()
    assert "\x1b" not in fine(whyjit("ledger", "step"))


@pytest.mark.parametrize("command", ["ledger", "why"])
def test_one_function_as_json_validates(whyjit, run, tmp_path, command):
    schema = {"ledger": function_json.ledger_schema, "why": function_json.function_schema}[command]()
    jsonschema.Draft202012Validator.check_schema(schema)
    printed = json.loads(fine(whyjit(command, "step", "--json", "-")))
    jsonschema.validate(printed, schema)
    assert fine(whyjit(command, "step", "--json", tmp_path / "out.json")) == ""
    assert json.loads((tmp_path / "out.json").read_text()) == printed


def test_advice_as_json_goes_beside_the_text_or_in_its_place(whyjit, run, monkeypatch, tmp_path):
    monkeypatch.setattr(advising, "on_run", lambda *_, **__: Advised((), ()))
    told = fine(whyjit("advise", "--json", "advice.json"))
    assert not told.startswith("{")
    printed = fine(whyjit("advise", "--json", "-"))
    assert json.loads(printed) == {"format": "whyjit-advice", "version": 1, "items": []}
    assert (tmp_path / "advice.json").read_text() == printed
    assert not (tmp_path / "-").exists()


def test_the_ledger_as_json_numbers_the_calls(whyjit, run):
    rows = json.loads(fine(whyjit("ledger", "step", "--json", "-")))["rows"]
    ends = [row["call"] + row["count"] for row in rows]
    assert rows[0]["call"] == 1
    assert [row["call"] for row in rows[1:]] == ends[:-1]


def test_the_run_that_filled_the_cache_comes_first(whyjit, tmp_path):
    earlier, later = tmp_path / "earlier", tmp_path / "later"
    for folder, started in ((earlier, 1000.0), (later, 1060.0)):
        environment = msgspec.structs.replace(samples.environment(), started=started)
        writer = Writer.create(runs.create_run(folder, "train"), environment)
        writer.write(msgspec.structs.replace(samples.batch(final=True), environment=environment))
        writer.close()
    assert "are the same run; name the run that filled the cache" in refused(whyjit("cache", later, later))
    assert "was recorded after" in refused(whyjit("cache", later, earlier))
    fine(whyjit("cache", earlier, later))


def in_a_process(code, folder, **how):
    main = "import sys; from whyjit.cli import main; "
    return subprocess.run([sys.executable, "-c", main + code], cwd=folder, check=False, timeout=120, **how)


@pytest.mark.skipif(os.name == "nt", reason="descriptors are closed and folders removed in the ways of POSIX")
def test_closed_streams_and_a_removed_folder_are_no_faults_of_whyjits(tmp_path):
    closed = "import os; sys.stdout = sys.stderr = None; main(['explain', 'shape-churn'])"
    assert in_a_process(closed, tmp_path).returncode == 0
    gone = "import os; os.mkdir('x'); os.chdir('x'); os.rmdir('../x'); main(['probe', 'a.py:f', '--args', '(1,)'])"
    done = in_a_process(gone, tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        2,
        "whyjit: the working directory has been removed; change to one that is there\n",
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
def test_output_that_cannot_be_written_is_said_in_a_line(tmp_path):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        code = "main(['explain', 'shape-churn'])"
        done = in_a_process(code, tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "whyjit: cannot write the output: No space left on device\n")
