"""`whyjit run` refuses what cannot be run before anything is run, in one line and with status 2."""

import os
import sys
import zipfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

from whyjit import cli
from whyjit.launch import start
from whyjit.launch.start import interpreter_options

# A run is refused where JAX is not installed, before anything else is looked at.
pytestmark = pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed")


@pytest.fixture
def started(monkeypatch):
    """What would have been executed, instead of executing it."""
    calls = []

    def execve(path, command, environment):
        calls.append((path, command, environment))
        raise SystemExit(0)

    monkeypatch.setattr(start.os, "execve", execve)
    return calls


@pytest.fixture
def run(tmp_path, monkeypatch, capsys, started):
    monkeypatch.chdir(tmp_path)
    # Not those of the Python that runs the tests.
    monkeypatch.setattr(sys, "orig_argv", ["whyjit"])
    (tmp_path / "train.py").touch()

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main(["run", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert out == ""
        return ended.value.code, err

    return run


def refused(answer):
    status, err = answer
    assert status == 2
    assert err.startswith("whyjit: ")
    assert err.count("\n") == 1
    return err.removeprefix("whyjit: ").rstrip("\n")


def command(run, started, *arguments):
    assert run(*arguments) == (0, "")
    path, command, _ = started.pop()
    assert path == command[0] == sys.executable
    return command[1:]


def test_a_script_that_is_not_there(run, tmp_path, started):
    assert refused(run("tarin.py")) == (
        f"there is no script tarin.py in {tmp_path} (did you mean train.py?); give its path, or a module's name "
        "after -m"
    )
    assert "give its path, or run the module with: -m zipfile" in refused(run("zipfile"))
    assert "there is no script no/train.py" in refused(run("no/train.py"))
    assert started == []
    assert not (tmp_path / ".whyjit").exists()


def test_a_folder_and_a_file_that_cannot_be_run(run, tmp_path, monkeypatch):
    (tmp_path / "pkg").mkdir()
    assert refused(run("pkg")) == "the folder pkg has no __main__.py to run; name a script in it"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "the script train.py may not be read" in refused(run("train.py"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "there is no module nothing;"),
        ("nothing.at.all", "there is no module nothing;"),
        ("pkg.nothing", "there is no module pkg.nothing;"),
        ("pkg", "the package pkg has no __main__.py to run;"),
        ("pkg.inner", "the package pkg.inner has no __main__.py to run;"),
        ("pkg.part.deeper", "there is no module pkg.part.deeper: pkg.part is a module, not a package;"),
        ("a-b", "there is no module a-b;"),
        ("train.py", "train is a module, not a package; to run the script train.py, leave -m out"),
        ("", "'' is no module's name;"),
        (".x", "'.x' is no module's name;"),
    ],
)
def test_a_module_that_is_not_there(run, tmp_path, started, name, message):
    for package in ("pkg", "pkg/inner"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "pkg" / "part.py").touch()
    assert message in refused(run("-m", name))
    assert started == []


def test_modules_that_are_there_are_not_imported(run, tmp_path, started):
    for package in ("pkg", "pkg/inner", "namespace", "making"):
        (tmp_path / package).mkdir()
        if package != "namespace":
            (tmp_path / package / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "making" / "__init__.py").write_text("__path__ = []")
    for module in ("pkg/__main__", "pkg/inner/part", "namespace/part"):
        (tmp_path / f"{module}.py").touch()
    for name in ("pkg", "pkg.inner.part", "namespace.part", "making.part", "json.tool", "pytest", "train", "timeit"):
        assert command(run, started, "-m", name, "--x") == ["-m", name, "--x"]


@pytest.mark.parametrize("version", [None, "0.5.3", "0.4.38"])
def test_a_jax_that_is_missing_or_too_old(run, monkeypatch, started, version):
    true = metadata.version

    def answer(name):
        if name != "jax":
            return true(name)
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", answer)
    said = refused(run("train.py"))
    reason = "JAX is not installed in this Python" if version is None else f"JAX {version} is older than 0.6"
    assert said == f"{reason}; whyjit needs JAX 0.6 or newer: pip install --upgrade 'jax>=0.6'"
    assert started == []


def test_files_that_cannot_be_written_are_refused_before_the_run(run, tmp_path, started):
    assert "cannot write no/o.json: there is no folder no; make it first" in refused(
        run("--json", "no/o.json", "train.py")
    )
    assert "cannot make a folder for the recording in train.py" in refused(run("--out", "train.py", "train.py"))
    assert started == []


@pytest.mark.parametrize(
    ("arguments", "program"),
    [
        (["train.py"], ["train.py"]),
        (["train.py", "--json", "x", "-m", "y", "--", "-q"], ["train.py", "--json", "x", "-m", "y", "--", "-q"]),
        (["-q", "train.py", "-q"], ["train.py", "-q"]),
        (["--", "train.py", "a"], ["train.py", "a"]),
        (["-m", "train", "--out", "x", "-m", "--", "-h"], ["-m", "train", "--out", "x", "-m", "--", "-h"]),
        (["-mtrain", "-q"], ["-m", "train", "-q"]),
        (["-qm", "train", "-q"], ["-m", "train", "-q"]),
        (["--out", "runs", "--json=o.json", "--no-calls", "-m", "train", "--help"], ["-m", "train", "--help"]),
        (["--json", "-m", "train.py"], ["train.py"]),
        (["-", "a"], ["-", "a"]),
        (["train.py", "--help"], ["train.py", "--help"]),
        (["./train.py", ""], ["./train.py", ""]),
    ],
    ids=str,
)
def test_what_belongs_to_the_program_reaches_it(run, started, arguments, program):
    assert command(run, started, *arguments) == program


def test_a_zip_file_is_a_script(run, tmp_path, started):
    with zipfile.ZipFile(tmp_path / "app.pyz", "w") as archive:
        archive.writestr("__main__.py", "")
    assert command(run, started, "app.pyz", "a") == ["app.pyz", "a"]


def test_the_environment_tells_the_program_how_to_be_recorded(run, tmp_path, started, monkeypatch):
    from whyjit.launch import variables

    (tmp_path / "pyproject.toml").write_text("[tool.whyjit]\nout = 'runs'\nredact = true\n")
    monkeypatch.setenv("PYTHONPATH", "one::two")
    monkeypatch.setenv("WHYJIT_RUN_HTML", "left over from another run")
    run("--no-calls", "--json", "o.json", "train.py")
    _, _, environment = started.pop()
    plan = variables.read(environment)
    assert plan.folder.startswith(str(tmp_path / "runs"))
    assert Path(plan.folder).is_dir()
    assert (plan.main, plan.calls, plan.redact, plan.quiet) == (os.getpid(), False, True, False)
    assert (plan.json, plan.html) == (str(tmp_path / "o.json"), "")
    site, rest = environment["PYTHONPATH"].split(":", 1)
    assert rest == "one::two"
    assert Path(site, "sitecustomize.py").is_file()
    assert variables.is_recorded(environment)
    assert not variables.is_recorded(variables.unrecorded(environment))


def test_a_run_within_a_run_adds_its_folder_once(run, started, monkeypatch):
    run("train.py")
    inherited = started.pop()[2]
    monkeypatch.setenv("PYTHONPATH", inherited["PYTHONPATH"])
    run("train.py")
    assert started.pop()[2]["PYTHONPATH"] == inherited["PYTHONPATH"]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("whyjit run a.py", ""),
        ("python -m whyjit run -X a.py", ""),
        (
            "python -X dev -W error -Wdefault -Xutf8 -OO -u -m whyjit run a.py",
            "-X dev -W error -Wdefault -Xutf8 -OO -u",
        ),
        ("python -P -s -E -I -m whyjit run -O a.py", ""),
        ("python -sP /usr/bin/whyjit run -O a.py", ""),
        ("python -W", "-W "),
    ],
)
def test_options_of_python_itself_are_passed_on(command, options):
    assert " ".join(interpreter_options(command.split())) == options
