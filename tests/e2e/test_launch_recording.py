"""What a run leaves behind: its recording, its summary last, the explanation of its error."""

import json
import subprocess
import textwrap

import launching
import pytest

from whyjit.observe import observer
from whyjit.store import reader, runs
from whyjit.store.errors import StoreError

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


@pytest.mark.parametrize("before", ["", STEP], ids=["without JAX", "with JAX"])
def test_what_the_program_did_to_sys_stops_nothing(program, tmp_path, before):
    source = "import sys\n" + before + "sys.argv[:] = [1, None, 'a\\0b']\nsys.executable = None\nsys.path.clear()\n"
    ended = launching.recorded([program(source)], tmp_path, flags=("--json", "o.json"))
    assert (ended.status, ended.out) == (0, "")
    assert "could not be finished" not in ended.err
    assert reader.load(tmp_path / ".whyjit").complete
    assert (tmp_path / "o.json").exists()


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


@pytest.mark.parametrize("lazy", [False, True], ids=["again from its spec", "lazily"])
def test_jax_is_imported_in_the_programs_own_way(program, tmp_path, lazy):
    source = """
        import importlib.util, sys
        spec = importlib.util.find_spec("jax")
        if LAZY:
            spec.loader = importlib.util.LazyLoader(spec.loader)
            jax = sys.modules["jax"] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(jax)
        else:
            import jax
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
        print(jax.jit(lambda x: x * 2)(3.0), type(jax.__spec__.loader).__name__)
        """
    name = program(source.replace("LAZY", str(lazy)))
    first, second = launching.plain([name], tmp_path), launching.recorded([name], tmp_path)
    assert second == first
    assert first.status == 0
    assert names(tmp_path) == ["<lambda>"]


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


def test_sigkill_loses_no_more_than_what_is_not_written_yet(program, tmp_path):
    source = """
        import time
        import jax, jax.numpy as jnp
        @jax.jit
        def step(x):
            return x * 2
        n = 0
        while True:
            n += 1
            step(jnp.ones(n))
            print(n, flush=True)
            time.sleep(0.02)
        """

    def calls():
        try:
            recording = reader.load(tmp_path / ".whyjit")
        except StoreError:  # nothing has been written yet
            return 0
        known = [function.id for function in recording.functions if function.name == "step"]
        return sum(spec.calls for spec in recording.specializations if spec.function in known)

    command = [*launching.WHYJIT, "run", program(source)]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for _ in range(3):  # while the program goes on, all that it has done comes to the disk
            told = int(process.stdout.readline())
            launching.until(lambda told=told: calls() >= told, f"{told} calls on the disk")
        written = calls()
    finally:
        process.kill()
        said, _ = process.communicate()
    assert written <= calls() <= int((said.split() or [told])[-1]) + 1
    assert not reader.load(tmp_path / ".whyjit").complete
    assert launching.whyjit("report", folder=tmp_path).status == 0


def test_what_is_done_comes_to_the_disk_within_a_second():
    assert observer._PERIOD <= 1


def test_a_program_that_ends_at_once_is_readable(program, tmp_path):
    source = STEP + launching.STORED + "stored('step')\nimport os\nos._exit(3)"
    ended = launching.recorded([program(source)], tmp_path, flags=())
    assert ended.status == 3, ended.err
    recording = reader.load(tmp_path / ".whyjit")
    assert not recording.complete
    assert names(tmp_path) == ["step"]
