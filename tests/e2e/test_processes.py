"""A computation of two processes under `jax.distributed` on this machine, each started with whyjit by itself."""

import json
import os
import socket
import subprocess

import pytest
from launching import WHYJIT, whyjit

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


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def run(folder, *rates):
    (folder / "train.py").write_text(PROGRAM)
    port = free_port()
    started = [
        subprocess.Popen(
            [
                *WHYJIT,
                "run",
                "--into",
                "run",
                "train.py",
                *map(str, (port, len(rates), at, rate)),
            ],
            cwd=folder,
            env={**os.environ, "JAX_PLATFORMS": "cpu"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for at, rate in enumerate(rates)
    ]
    ended = [process.communicate(timeout=100) for process in started]
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
