"""A computation of two processes under `jax.distributed` on this machine, each started with whyjit by itself."""

import json
import os
import subprocess

import pytest
from launching import WHYJIT, port, whyjit

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e

PROGRAM = """
import sys
import jax, numpy as np
from functools import partial
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
port, count, index, rate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=count, process_id=index)
sharding = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_callback((8,), sharding, lambda at: np.ones(8, np.float32)[at])

@jax.jit
def step(x):
    return x * 2

@partial(jax.jit, static_argnames="rate")
def scale(x, rate):
    return x * rate

scale(step(x), rate=rate)
print("process", jax.process_index(), "of", jax.process_count())
jax.distributed.shutdown()
"""


def run(folder, *rates):
    (folder / "train.py").write_text(PROGRAM)
    with port() as number:
        started = [
            subprocess.Popen(
                [*WHYJIT, "run", "--into", "run", "train.py", *map(str, (number, len(rates), at, rate))],
                cwd=folder,
                env={**os.environ, "JAX_PLATFORMS": "cpu"},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for at, rate in enumerate(rates)
        ]
        ended = [process.communicate(timeout=600) for process in started]
    assert [process.returncode for process in started] == [0] * len(rates), ended
    return ended


def test_processes_that_agree_and_processes_that_part(tmp_path):
    ended = run(tmp_path, 0.5, 0.25)
    assert [out for out, _ in ended] == ["process 0 of 2\n", "process 1 of 2\n"]
    assert "whyjit:" in ended[0][1]
    assert "whyjit:" not in ended[1][1]  # one of them sums up
    assert len(list((tmp_path / "run").glob("*.whyjit"))) == 2

    told = json.loads(whyjit("processes", "run", "--format", "json", folder=tmp_path).out)
    assert [row["process_index"] for row in told["processes"]] == [0, 1]
    assert [row["compiles"] for row in told["processes"]] == [2, 2]
    parted = told["divergence"]
    assert parted["across_processes"]
    assert (parted["at"], parted["first"]["function"], parted["other"]["function"]) == (2, "scale", "scale")
    assert parted["changes"] == [{"kind": "static", "path": "rate", "first": "0.5", "other": "0.25"}]
    assert parted["other"]["call_site"]["line"] == 19
    assert "process-divergence" in whyjit("processes", "run", folder=tmp_path).out


def test_into_and_out_exclude_each_other(tmp_path):
    (tmp_path / "train.py").write_text("")
    ended = whyjit("run", "--into", "a", "--out", "b", "train.py", folder=tmp_path)
    assert ended.status == 2
    assert "--into names the run's folder" in ended.err


PARENT = """
import multiprocessing

def work(factor):
    import jax, numpy as np
    step = jax.jit(lambda x: x * factor)
    for size in (2, 3):
        step(np.ones(size, np.float32))

if __name__ == "__main__":
    import jax, numpy as np
    jax.jit(lambda x: x + 1)(np.ones(3, np.float32))
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=work, args=(factor,)) for factor in (2.0, 3.0)]
    for child in children:
        child.start()
    for child in children:
        child.join()
"""


def test_what_children_compile_is_told_and_counted(tmp_path):
    (tmp_path / "train.py").write_text(PARENT)
    (tmp_path / "budget.toml").write_text("max_compiles = 4\n")
    ended = whyjit("run", "--json", "run.json", "--html", "run.html", "train.py", folder=tmp_path)
    said = " ".join(ended.err.split())
    assert "whyjit: one of 3 processes: " in said
    assert "5 compiles; " in said
    assert "of it in the other 2" in said
    report = json.loads((tmp_path / "run.json").read_text())
    assert (report["totals"]["compiles"], report["processes"]["sums"]["compiles"]) == (1, 5)
    assert "All processes of the run" in (tmp_path / "run.html").read_text()

    checked = whyjit("check", "--budget", "budget.toml", "--format", "json", folder=tmp_path)
    verdict = json.loads(checked.out)
    assert (checked.status, verdict["processes"], verdict["breaches"][0]["found"]) == (1, 3, 5)
    assert verdict["breaches"][0]["process"].startswith("the process with pid ")
    assert whyjit("check", "--budget", "budget.toml", "--processes", "each", folder=tmp_path).status == 0
    compared = json.loads(whyjit("compare", ".whyjit", ".whyjit", "--format", "json", folder=tmp_path).out)
    assert (compared["before"]["processes"], compared["after"]["totals"]["compiles"]) == (3, 5)
