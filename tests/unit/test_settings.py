"""Settings come from pyproject.toml, then the environment; what is not valid is answered with what is."""

import sys
from pathlib import Path

import pytest

from whyjit import settings
from whyjit.errors import WhyjitError
from whyjit.settings import Settings


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def project(text, folder=tmp_path):
        (folder / "pyproject.toml").write_text(text)

    return project


def load(**environment):
    return settings.load(environment=environment)


def refused(**environment):
    with pytest.raises(WhyjitError) as caught:
        load(**environment)
    assert "\n" not in caught.value.message
    return caught.value.message


def test_without_any_the_defaults_hold(project):
    assert load() == Settings()
    project("[project]\nname = 'x'\n")
    assert load() == Settings(out=Path(".whyjit"), calls=True, redact=False, quiet=False, color="auto")


def test_the_project_sets_and_the_environment_overrides(project):
    project("[tool.whyjit]\nout = 'runs'\ncalls = false\nredact = true\ncolor = 'never'\n")
    assert load() == Settings(Path("runs"), calls=False, redact=True, color="never")
    assert load(WHYJIT_CALLS="yes", WHYJIT_OUT="/elsewhere", WHYJIT_COLOR="ALWAYS", WHYJIT_QUIET="1") == Settings(
        Path("/elsewhere"), calls=True, redact=True, quiet=True, color="always"
    )
    assert load(WHYJIT_CALLS="").calls is False


def test_the_nearest_project_above_counts_and_paths_are_meant_from_it(project, tmp_path, monkeypatch):
    project("[tool.whyjit]\nout = 'runs'\nquiet = true\n")
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert load() == Settings(tmp_path / "runs", quiet=True)
    project("[project]\nname = 'inner'\n", tmp_path / "a")
    assert load() == Settings()


def test_tables_of_other_commands_are_left_to_them(project):
    project("[tool.whyjit.budget]\ntraces = 3\n")
    assert load() == Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[tool.whyjit]\nclals = true",
            "has no setting 'clals' (did you mean calls?); valid: out, calls, redact, quiet, color",
        ),
        ("[tool.whyjit]\ncalls = 'yes'", "calls = 'yes' in [tool.whyjit] of {} is not valid; valid: true, false"),
        (
            "[tool.whyjit]\ncolor = 'blue'",
            "color = 'blue' in [tool.whyjit] of {} is not valid; valid: auto, always, never",
        ),
        ("[tool.whyjit]\nout = 3", "out = 3 in [tool.whyjit] of {} is not valid; valid: a folder's path"),
        ("[tool]\nwhyjit = 3", "tool.whyjit in {} is no table; write it as [tool.whyjit]"),
        ("tool = 3", "tool.whyjit in {} is no table; write it as [tool.whyjit]"),
        ("[tool.whyjit.bugdet]\nmax_compiles = 3", "has no setting 'bugdet' (did you mean budget?)"),
        ("[tool.whyjit.quiet]\nx = 3", "quiet = {{'x': 3}} in [tool.whyjit] of {} is not valid; valid: true, false"),
        ("[tool.whyjit", "cannot read the settings in {}: "),
    ],
)
def test_a_bad_setting_of_the_project(project, tmp_path, text, message):
    project(text)
    assert message.format(tmp_path / "pyproject.toml") in refused()


def test_a_project_that_is_no_text(project, tmp_path):
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe")
    assert "cannot read the settings in" in refused()


@pytest.mark.parametrize("text", ["²", "9" * 5000, "1.5", "-3", "0"])
def test_a_number_that_is_none_is_refused(project, text):
    assert refused(WHYJIT_MAX_ROWS=text).endswith("is not valid; valid: a whole number above 0")


def test_blanks_around_a_variable_do_not_count(project):
    assert load(WHYJIT_QUIET=" 1\n", WHYJIT_MAX_ROWS=" 7 ", WHYJIT_CALLS=" ") == Settings(quiet=True, max_rows=7)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_in_a_folder_that_is_gone_there_are_no_settings(project, tmp_path, monkeypatch):
    project("[tool.whyjit]\nquiet = true\n")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert load() == Settings()


@pytest.mark.parametrize(("name", "valid"), [("CALLS", "true, false"), ("COLOR", "auto, always, never")])
def test_a_bad_variable(project, name, valid):
    message = refused(**{f"WHYJIT_{name}": "maybe"})
    assert message == (f"{name.lower()} = 'maybe' in the environment (WHYJIT_{name}) is not valid; valid: {valid}")
