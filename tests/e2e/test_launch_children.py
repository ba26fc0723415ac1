"""Python processes that a recorded program starts have recordings of their own."""

import sys
import textwrap
from pathlib import Path

import launching
import pytest

from whyjit.store import reader, runs

pytestmark = [pytest.mark.e2e, pytest.mark.live]

PROGRAM = (
    launching.STORED
    + """
import multiprocessing, os, subprocess, sys
import jax, jax.numpy as jnp

@jax.jit
def work(x):
    return x * 2

@jax.jit
def after(x):
    return x * 3

def task(n):
    return float(work(jnp.ones(n)).sum())

if __name__ == "__main__":
    how = sys.argv[1]
    if how in {"spawn", "fork", "forkserver"}:
        with multiprocessing.get_context(how).Pool(2) as pool:
            print(pool.map(task, [3, 4, 5], chunksize=1))
            pool.close()
            pool.join()
    elif how == "subprocess":
        print(subprocess.run([sys.executable, __file__, "child"]).returncode)
    elif how == "child":
        task(3)
    elif how == "os.fork":
        pid = os.fork()
        if pid == 0:
            task(3)
            sys.exit(0)
        print(os.waitpid(pid, 0)[1])
    elif how == "os.fork, os._exit":
        pid = os.fork()
        if pid == 0:
            task(3)
            stored("work")
            os._exit(0)
        print(os.waitpid(pid, 0)[1])
    if how != "child":
        after(jnp.ones(3))
"""
)


def calls(recording):
    """Calls of the program's own functions."""
    named = {function.id: function.name for function in recording.functions if function.origin == "user"}
    found = {}
    for spec in recording.specializations:
        if spec.function in named:
            found[named[spec.function]] = found.get(named[spec.function], 0) + spec.calls
    return found


@pytest.fixture
def record(tmp_path):
    def record(source, *arguments, options=("-W", "ignore"), flags=("--quiet",)):
        (tmp_path / "program.py").write_text(textwrap.dedent(source))
        ended = launching.recorded(["program.py", *arguments], tmp_path, options=options, flags=flags)
        return ended, runs.find_run(tmp_path / ".whyjit")

    return record


@pytest.mark.parametrize("how", ["spawn", "fork", "forkserver"])
def test_a_pool_of_processes(record, how):
    ended, run = record(PROGRAM, how)
    assert (ended.status, ended.out) == (0, "[6.0, 8.0, 10.0]\n")
    main, *children = reader.load_all(run)
    assert calls(main) == {"after": 1}
    assert sum(calls(child).get("work", 0) for child in children) == 3
    assert all(recording.complete for recording in (main, *children))
    assert len({recording.environment.pid for recording in (main, *children)}) == 1 + len(children)


@pytest.mark.parametrize(("how", "complete"), [("subprocess", True), ("os.fork", True), ("os.fork, os._exit", False)])
def test_a_single_child(record, how, complete):
    ended, run = record(PROGRAM, how)
    assert (ended.status, ended.out, ended.err) == (0, "0\n", "")
    main, child = reader.load_all(run)
    assert calls(main) == {"after": 1}
    assert main.complete
    assert calls(child) == {"work": 1}
    assert child.complete is complete


def test_a_child_of_another_python_is_left_alone(record):
    _, run = record(PROGRAM, "subprocess")
    source = """
        import os, subprocess, sys
        os.environ["WHYJIT_RUN_PREFIX"] = "/another/python"
        code = "import sys; print([m for m in sys.modules if 'whyjit' in m], [p for p in sys.path if 'whyjit' in p])"
        print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True))
        """
    ended, run = record(source)
    assert "stdout='[] []" in ended.out.replace("\\n", "")
    assert len(runs.files(run)) == 1


def test_a_run_whose_folder_is_gone_breaks_no_child(record):
    source = """
        import os, shutil, subprocess, sys
        shutil.rmtree(os.environ["WHYJIT_RUN_FOLDER"])
        code = "import jax, jax.numpy as jnp; print(jax.jit(lambda x: x + 1)(jnp.ones(2)).sum())"
        print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True))
        os.mkdir(os.environ["WHYJIT_RUN_FOLDER"])
        """
    ended, _ = record(source)
    assert "returncode=0, stdout='4.0\\n', stderr=''" in ended.out


def test_the_same_process_executed_anew_has_two_recordings(record):
    source = (
        launching.STORED
        + """
import os, sys
import jax, jax.numpy as jnp
jax.jit(lambda x: x + 1)(jnp.ones(len(sys.argv)))
if len(sys.argv) == 1:
    stored("<lambda>")
    os.execv(sys.executable, [sys.executable, __file__, "again"])
"""
    )
    _, run = record(source)
    files = runs.files(run)
    assert [path.name.partition("-")[2] for path in files] == ["1.whyjit", "2.whyjit"]
    assert len({path.name.partition("-")[0] for path in files}) == 1


def test_report_names_the_other_processes(record, tmp_path):
    _, run = record(PROGRAM, "subprocess")
    ended = launching.whyjit("report", folder=tmp_path)
    assert "1 more process of this run was recorded; report on one by its file: " in ended.err
    child = ended.err.strip().rpartition(" ")[2]
    assert "work" in launching.whyjit("report", child, folder=tmp_path).out
    assert Path(child).parent == run.relative_to(tmp_path)


def test_a_childs_standard_error_is_its_own(record):
    source = """
        import subprocess, sys
        code = "import jax, jax.numpy as jnp\\nfor n in range(9): jax.jit(lambda x: x + 1)(jnp.ones(3))"
        print(repr(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr))
        """
    ended, _ = record(source, flags=())
    assert ended.out == "''\n"


def test_a_child_without_jax_has_no_recording(record):
    source = """
        import subprocess, sys
        import jax
        subprocess.run([sys.executable, "-c", "print(1)"])
        """
    ended, run = record(source)
    assert ended.out == "1\n"
    assert len(runs.files(run)) == 1
    assert sys.executable
