"""What a notebook's recording takes from the settings."""

from whyjit.launch import session
from whyjit.notebook.sessions import Notebook


def test_the_settings_hold_in_a_notebook(tmp_path, monkeypatch):
    started = []

    class Session:
        def __init__(self, run, parent):
            started.append(run)

        def start(self, **how):
            started.append(how)

    monkeypatch.setattr(session, "Session", Session)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        "[tool.whyjit]\nout = 'runs'\ncalls = false\nredact = true\nmax_specializations = 4\nmax_rows = 9\n"
    )
    notebook = Notebook(None)
    notebook._start()
    run, how = started
    assert run == str(notebook.run)
    assert notebook.run.parent == tmp_path / "runs"
    assert how == {"calls": False, "redact": True, "quiet": True, "bounds": "4 9"}
