"""A task in a process of its own: its result, and every way in which there can be none."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import launching
import pytest

from whyjit.experiment.apart import run_apart

pytestmark = pytest.mark.e2e
HERE = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def tasks_can_be_found(monkeypatch):
    monkeypatch.setattr(sys, "path", [HERE, *sys.path])


def run(name, payload=b"", **options):
    return run_apart(f"apart_tasks:{name}", payload, **{"timeout_s": 300, **options})


def gone(pid):
    """Wait for a process to end, which by itself it would not; one that nobody has waited for yet has ended."""
    return launching.until(lambda: launching.state(pid) in {"", "Z"}, f"the end of process {pid}")


def test_the_result_comes_back():
    outcome = run("reverse", b"\x00abc")
    assert (outcome.result, outcome.failure) == (b"cba\x00", None)
    assert outcome.seconds > 0


def test_what_is_printed_is_kept_apart_from_the_result():
    outcome = run("talk")
    assert outcome.result == b"quiet"
    assert outcome.stdout.endswith("the end\n")
    assert len(outcome.stdout) == 4000
    assert outcome.stderr == "to stderr\n"


def test_one_that_hangs_is_killed_with_its_group(tmp_path):
    note = tmp_path / "pid"
    for limit in (3, 15, 75):  # until it was long enough to begin
        outcome = run("hang", str(note).encode(), timeout_s=limit)
        assert (outcome.result, outcome.failure) == (None, f"timed out after {limit} s")
        if note.exists():
            break
    assert gone(int(note.read_text()))


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGKILL, "killed by signal 9 (memory?)"),
        (signal.SIGSEGV, "killed by signal 11 (a crash outside Python)"),
        (signal.SIGTERM, "killed by signal 15 (SIGTERM)"),
    ],
)
def test_a_signal_is_named(number, said):
    assert run("die", str(int(number)).encode()).failure == said


def test_an_exit_status_is_named():
    assert run("leave", b"3").failure == "ended with exit status 3 before it had a result"
    assert run("leave", b"0").failure == "ended with exit status 0 before it had a result"


def test_an_exception_is_one_line_with_its_place():
    line = next(
        at for at, text in enumerate(Path(HERE, "apart_tasks.py").read_text().splitlines(), 1) if "raise V" in text
    )
    outcome = run("fail", b"two\nlines")
    assert (outcome.result, outcome.failure) == (None, f"{HERE}/apart_tasks.py:{line}: ValueError: two lines")
    assert run("leave_politely", b"4").failure.endswith("SystemExit: 4")


def test_the_place_is_the_programs_own_line_and_not_a_librarys():
    failure = run("fail_in_a_library").failure
    assert failure.startswith(f"{HERE}/apart_tasks.py:")
    assert "DecodeError" in failure


@pytest.mark.parametrize(
    ("task", "said"),
    [("no_such_module:f", "No module named 'no_such_module'"), ("apart_tasks:none", "has no attribute 'none'")],
)
def test_a_task_that_cannot_be_found_is_a_failure(task, said):
    assert said in run_apart(task, b"", timeout_s=300).failure


def test_a_task_that_returns_no_bytes_is_told():
    assert run("text").failure == "TypeError: apart_tasks:text returned str; a task returns bytes"


def test_memory_has_a_limit():
    outcome = run("swell", b"200", memory_mb=100)
    assert (outcome.result, outcome.failure) == (None, "used more than 100 MB of memory")
    assert run("swell", b"2", memory_mb=100).result == b"2"


def test_output_has_a_limit():
    assert run("flood").failure == "printed more than 64 MB"


def test_the_child_has_the_same_python_and_the_environment_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    outcome = run("surroundings", env={"COLOUR": "blue"}, cwd=tmp_path)
    assert outcome.result.decode() == repr((sys.executable, "cpu", "blue", str(tmp_path.resolve())))


def test_it_is_no_part_of_a_recorded_run(monkeypatch):
    monkeypatch.setenv("WHYJIT_RUN_FOLDER", "runs")
    assert run("recorded").result == b"[]"


def test_python_sockets_reach_nothing():
    with socket.create_server(("127.0.0.1", 0)) as server:
        failure = run("connect", str(server.getsockname()[1]).encode()).failure
    assert "whyjit keeps the network from programs under experiment" in failure


def test_threads_and_exit_handlers_do_not_hold_it_up():
    outcome = run("linger")
    assert outcome.result == b"done"
    assert outcome.seconds < 600


def test_it_ends_with_the_process_that_asked(tmp_path):
    note = tmp_path / "pid"
    code = (
        f"import sys; sys.path.insert(0, {HERE!r}); from whyjit.experiment.apart import run_apart; "
        f"run_apart('apart_tasks:wait_for_parent', {str(note).encode()!r}, timeout_s=900)"
    )
    asking = subprocess.Popen([sys.executable, "-c", code])
    launching.until(lambda: note.exists() and note.read_text(), "the task to begin")
    asking.send_signal(signal.SIGKILL)
    asking.wait()
    assert gone(int(note.read_text()))
    assert int(note.read_text()) != os.getpid()
