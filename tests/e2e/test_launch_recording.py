"""What a run leaves behind: its recording, its summary last, the explanation of its error."""

import json
import os
import random
import signal
import subprocess
import textwrap
import time

import launching
import pytest

from whyjit.store import reader, runs

pytestmark = [pytest.mark.e2e, pytest.mark.live]

STEP = """
import jax, jax.numpy as jnp

@jax.jit
def step(x):
    return x * 2

for n in (3, 3, 4):
    step(jnp.ones(n))
"""
FAILING = """
import jax, jax.numpy as jnp

@jax.jit
def step(x):
    if x > 0:
        return x
    return -x

step(jnp.float32(1.0))
"""


@pytest.fixture
def program(tmp_path):
    def program(source, name="program.py"):
        (tmp_path / name).write_text(textwrap.dedent(source))
        return name

    return program


def names(folder):
    return [function.name for function in reader.load(folder / ".whyjit").functions if function.origin == "user"]


def test_the_summary_comes_last_and_on_standard_error(program, tmp_path):
    source = (
        "import atexit, sys; atexit.register(lambda: print('bye', file=sys.stderr))" + STEP + "print('out', end='')"
    )
    ended = launching.recorded([program(source)], tmp_path, flags=())
    assert (ended.status, ended.out) == (0, "out")
    first, _, rest = ended.err.partition("\n")
    assert first == "bye"
    assert rest.startswith("\nwhyjit: ")
    assert " traces, " in rest
    run = runs.find_run(tmp_path / ".whyjit")
    assert f".whyjit/{run.name}" in ended.err.splitlines()[-1]


def test_calls_and_specializations_are_recorded(program, tmp_path):
    launching.recorded([program(STEP)], tmp_path)
    recording = reader.load(tmp_path / ".whyjit")
    assert recording.complete
    assert recording.environment.platform == "cpu"
    function = next(function for function in recording.functions if function.name == "step")
    specs = [spec for spec in recording.specializations if spec.function == function.id]
    assert [(spec.number, spec.calls, spec.misses) for spec in specs] == [(1, 2, 1), (2, 1, 1)]
    assert [row.event for row in reader.rows(tmp_path / ".whyjit", function.id)] == ["new", "hit", "new"]
    assert reader.program(tmp_path / ".whyjit", specs[0].program) is not None


def test_without_calls_only_misses_are_recorded(program, tmp_path):
    launching.recorded([program(STEP)], tmp_path, flags=("--no-calls", "-q"))
    recording = reader.load(tmp_path / ".whyjit")
    function = next(function for function in recording.functions if function.name == "step")
    assert [spec.misses for spec in recording.specializations if spec.function == function.id] == [1, 1]
    assert [row.event for row in reader.rows(tmp_path / ".whyjit", function.id)] == ["new", "new"]


def test_static_values_can_be_hidden(program, tmp_path):
    source = """
        import functools, jax, jax.numpy as jnp
        @functools.partial(jax.jit, static_argnames="key")
        def step(x, key):
            return x
        step(jnp.ones(3), key="hunter2")
        """
    for flags, seen in ((("-q",), True), (("-q", "--redact"), False)):
        launching.recorded([program(source)], tmp_path, flags=flags)
        content = b"".join(path.read_bytes() for path in runs.files(runs.find_run(tmp_path / ".whyjit")))
        assert (b"hunter2" in content) is seen


def test_json_and_html_are_written_where_they_are_asked_for(program, tmp_path):
    flags = ("--out", "runs", "--json", "out.json", "--html", "out.html", "-q")
    source = "import os; os.chdir('/')\n" + STEP
    ended = launching.recorded([program(source)], tmp_path, flags=flags)
    assert (ended.status, ended.err) == (0, "")
    report = json.loads((tmp_path / "out.json").read_text())
    assert (report["format"], report["version"]) == ("whyjit", 1)
    step = next(function for function in report["functions"] if function["name"] == "step")
    assert (step["calls"], step["traces"], step["compiles"]) == (3, 2, 2)
    assert "step" in (tmp_path / "out.html").read_text()
    assert len(list((tmp_path / "runs").glob("*-program/*.whyjit"))) == 1


def test_an_error_of_tracing_is_explained_below_its_traceback(program, tmp_path):
    name = program(FAILING)
    first, second = launching.plain([name], tmp_path), launching.recorded([name], tmp_path)
    assert second.status == first.status == 1
    assert second.err.startswith(first.err)
    explanation = second.err.removeprefix(first.err)
    assert "branch-on-value" in explanation
    assert "x > 0" in explanation


@pytest.mark.parametrize(
    "source",
    [
        FAILING.replace("step(jnp.float32(1.0))", "try:\n    step(1.0)\nexcept Exception as e:\n    print(type(e))"),
        FAILING.replace(
            "step(jnp.float32(1.0))", "import code\ncode.InteractiveInterpreter(globals()).runcode('step(1.0)')"
        ),
        "import jax\n1 / 0",
        "import jax, sys\nsys.exit('enough')",
    ],
    ids=["caught", "shown by another", "not of JAX", "exit"],
)
def test_nothing_is_explained_that_did_not_end_the_program_or_is_no_error_of_tracing(program, tmp_path, source):
    name = program(source)
    first, second = launching.plain([name], tmp_path), launching.recorded([name], tmp_path)
    assert second == first


def test_a_program_that_never_imports_jax_has_a_recording_that_says_so(program, tmp_path):
    ended = launching.recorded([program("print(1)"), "a"], tmp_path, flags=("--json", "o.json"))
    assert (ended.status, ended.out) == (0, "1\n")
    recording = reader.load(tmp_path / ".whyjit")
    assert [(gap.what, gap.reason) for gap in recording.gaps] == [("JAX", "the program never imported it")]
    assert recording.environment.argv == ("program.py", "a")
    assert json.loads((tmp_path / "o.json").read_text())["functions"] == []


def test_jax_is_configured_by_the_program_not_by_whyjit(program, tmp_path):
    source = """
        import os, sys
        assert "jax" not in sys.modules
        os.environ["JAX_ENABLE_X64"] = "1"
        import jax, jax.numpy as jnp
        print(jnp.ones(1).dtype, jax.__spec__.loader.__class__.__name__, jax.__loader__ is jax.__spec__.loader)
        print([type(finder).__module__ for finder in sys.meta_path if "whyjit" in type(finder).__module__])
        """
    assert launching.recorded([program(source)], tmp_path).out == "float64 SourceFileLoader True\n[]\n"


def test_a_jax_that_cannot_be_imported_has_its_own_traceback(program, tmp_path):
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("from jax import part")
    (tmp_path / "jax" / "part.py").write_text("1 / 0")
    source = """
        import traceback
        for _ in range(2):
            try:
                import jax
            except Exception:
                traceback.print_exc()
        import jax.numpy
        """
    name = program(source)
    first, second = launching.plain([name], tmp_path), launching.recorded([name], tmp_path)
    assert second == first
    assert "ZeroDivisionError" in first.err


def test_what_is_named_jax_but_is_not_does_not_stop_the_program(program, tmp_path):
    (tmp_path / "jax.py").write_text("jit = lambda f: f")
    ended = launching.recorded([program("import jax; print(jax.jit(1))")], tmp_path)
    assert (ended.status, ended.out) == (0, "1\n")


def test_modules_of_the_programs_own_hide_nothing_from_whyjit(program, tmp_path):
    for name in ("sqlite3", "msgspec", "click", "rich", "csv"):
        (tmp_path / f"{name}.py").write_text("x = 'own'")
    source = "import sqlite3\n" + STEP + "import msgspec, csv, rich, click\nprint(sqlite3.x, msgspec.x, csv.x, rich.x)"
    ended = launching.recorded([program(source)], tmp_path)
    assert (ended.status, ended.out, ended.err) == (0, "own own own own\n", "")
    assert names(tmp_path) == ["step"]


def test_a_disk_that_refuses_is_told_of_and_stops_nothing(program, tmp_path):
    source = "import os, shutil\nshutil.rmtree(os.environ['WHYJIT_RUN_FOLDER'])" + STEP + "print('done')"
    ended = launching.recorded([program(source)], tmp_path)
    assert (ended.status, ended.out) == (0, "done\n")
    assert "whyjit: the recording is incomplete: cannot write a recording into " in ended.err
    assert len(ended.err.splitlines()) <= 2


@pytest.mark.parametrize("seed", range(3))
def test_sigkill_loses_at_most_the_last_second(program, tmp_path, seed):
    source = """
        import time
        import jax, jax.numpy as jnp
        @jax.jit
        def step(x):
            return x * 2
        begin = time.monotonic()
        n = 0
        while True:
            n += 1
            step(jnp.ones(n))
            print(n, time.monotonic() - begin, flush=True)
            time.sleep(0.02)
        """
    command = [*launching.WHYJIT, "run", program(source)]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    process.stdout.readline()
    time.sleep(1.2 + random.Random(seed).uniform(0, 1.5))  # noqa: S311 - no secret
    os.kill(process.pid, signal.SIGKILL)
    told = [line.split() for line in process.stdout.read().splitlines()]
    process.wait()
    process.stdout.close()
    told = [(int(line[0]), float(line[1])) for line in told if len(line) == 2]
    due = max((number for number, moment in told if moment < told[-1][1] - 1), default=0)
    recording = reader.load(tmp_path / ".whyjit")
    assert not recording.complete
    function = next(function for function in recording.functions if function.name == "step")
    assert sum(spec.calls for spec in recording.specializations if spec.function == function.id) >= due
    assert launching.whyjit("report", folder=tmp_path).status == 0


def test_a_program_that_ends_at_once_is_readable(program, tmp_path):
    launching.recorded([program(STEP + "import os, time; time.sleep(1.5); os._exit(3)")], tmp_path, flags=())
    recording = reader.load(tmp_path / ".whyjit")
    assert not recording.complete
    assert names(tmp_path) == ["step"]
