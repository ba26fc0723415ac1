"""Experiments as a person starts them: with the command, and from Python, each arm in a process of its own."""

import json
import os
import subprocess
import sys

import pytest

from whyjit.present.probe_json import schema

pytest.importorskip("jax")
jsonschema = pytest.importorskip("jsonschema")

pytestmark = pytest.mark.e2e

PROGRAM = """\
import functools, os, signal, time
import jax, jax.numpy as jnp

@functools.partial(jax.jit, static_argnames="mode")
def step(x, mode="sum"):
    print("the body runs")
    return x.sum() if mode == "sum" else x.mean()

@jax.jit
def fragile(x):
    if x.shape[0] == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    if x.shape[0] == 1:
        time.sleep(900)
    return x
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def whyjit(folder, *arguments):
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "COLUMNS": "160"}
    env.pop("FORCE_COLOR", None)
    command = [sys.executable, "-m", "whyjit", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_the_command_tells_what_decides_the_program(folder):
    done = whyjit(
        folder,
        *("probe", "program.py:step", "--args", "(np.ones(3),), {}", "--vary", "mode='mean'", "--only", "static"),
        *("--only", "sizes", "--compile", "--timeout", "600", "--json", "out.json"),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    report = json.loads((folder / "out.json").read_text())
    jsonschema.validate(report, schema())
    control, mean = report["arms"]
    assert (control["factor"]["kind"], control["traced"], control["compiled"]) == ("control", False, False)
    assert (mean["traced"], mean["compiled"], mean["delta"]) == (True, True, "structure")
    assert report["verdicts"] == [{"kind": "static", "path": "mode", "verdict": "decides the program", "why": ""}]
    (sizes,) = report["sizes"]
    assert sizes["tried"] == [3, 1, 2, 4, 6]
    assert sorted(sizes["same"]) == [1, 2, 3, 4, 6]
    assert sizes["export"] == {"works": True, "reason": None}
    assert report["file"] == "program.py"


def test_a_crash_and_a_hang_are_rows(folder):
    for limit in (8, 40, 200):  # until it is long enough for the arms that do not hang
        done = whyjit(
            folder,
            *("probe", "program:fragile", "--args", "(np.ones(3),), {}", "--only", "shape", "--timeout", str(limit)),
            *("--json", "out.json"),
        )
        if done.returncode == 0:
            report = json.loads((folder / "out.json").read_text())
            if sum("timed out" in str(arm["error"]) for arm in report["arms"]) == 1:
                break
    assert (done.returncode, done.stderr) == (0, "")
    jsonschema.validate(report, schema())
    control, grown, one = report["arms"]
    assert (control["ran"], control["error"]) == (True, None)
    assert (grown["ran"], grown["error"]["text"]) == (False, "killed by signal 9 (memory?)")
    assert (one["ran"], one["error"]["text"]) == (False, f"timed out after {limit} s")
    assert report["verdicts"][0]["verdict"] == "unknown"


def test_what_cannot_be_probed_is_one_line(folder):
    done = whyjit(folder, "probe", "program.py:stepp", "--args", "(1,), {}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "whyjit: program.py has no stepp; did you mean step?\n"


SCRIPT = """\
import jax, jax.numpy as jnp
import whyjit

class Options:
    def __init__(self, twice):
        self.twice = twice
    def __eq__(self, other):
        return self.twice == other.twice
    def __hash__(self):
        return hash(self.twice)

table = jnp.ones(500)

def scaled(x, options):
    return (x * 2 if options.twice else x) + table.sum()

if __name__ == "__main__":
    given = (jnp.ones(3), Options(True))
    probed = whyjit.probe(scaled, *given, vary={"options": Options(False)}, only="static", timeout=600)
    print(probed.verdicts)
    roles = whyjit.roles(lambda x: x + table.sum(), jnp.ones(3))
    print([one.name for one in roles.roles.constants])
    jitted = jax.jit(lambda x: 1 if x > 0 else 2)
    print(whyjit.roles(jitted, 1.0).roles.values[0].why)
"""


def test_a_script_probes_a_function_of_its_own(folder):
    pytest.importorskip("cloudpickle")
    (folder / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    *found, asked = done.stdout.splitlines()
    assert found == ["{('static', 'options'): 'decides the program'}", "['table']"]
    assert asked.endswith("script.py:23: x > 0")


def test_a_script_without_a_guard_does_not_start_itself_again(folder):
    (folder / "script.py").write_text(SCRIPT.replace('if __name__ == "__main__":', "if True:"))
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("{('static', 'options'): 'decides the program'}\n")


def test_a_module_that_starts_an_experiment_when_it_is_imported_is_named(folder):
    (folder / "eager.py").write_text(SCRIPT.replace('if __name__ == "__main__":', "if True:"))
    done = whyjit(folder, "probe", "eager:scaled", "--args", "(np.ones(3), Options(True)), {}")
    assert done.returncode == 2
    assert "the module eager starts an experiment when it is imported; put that under if __name__" in done.stderr


def test_dask_can_run_the_arms(monkeypatch):
    distributed = pytest.importorskip("distributed")
    import whyjit as package

    monkeypatch.setattr(sys, "path", [*sys.path, os.path.dirname(__file__)])  # noqa: PTH120
    import probe_subject

    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        probed = package.probe(probe_subject.double, 1.0, only="weak_type", executor=client.get_executor(), timeout=600)
    assert probed.verdicts == {("weak_type", "x"): "only types"}
    jsonschema.validate(probed.report(), schema())
    assert "only types" in str(probed)
    assert "only types" in probed._repr_html_()
