"""`whyjit warmup` on a recorded server: its module is clean, and the recorded traffic then compiles nothing."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e

SERVER = """\
import enum
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

import whyjit


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


@dataclass(frozen=True)
class Config:
    width: int
    name: str = "a"


@jax.tree_util.register_pytree_node_class
class State:
    def __init__(self, w):
        self.w = w

    def tree_flatten(self):
        return (self.w,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


@partial(jax.jit, static_argnames=("mode", "config"))
def predict(params, x, mode=Mode.SUM, config=Config(3)):
    y = jnp.tanh(x @ params["w"] + params["b"][0]) * config.width
    return y.sum() if mode is Mode.SUM else y.mean()


@whyjit.bucketed(axis={"x": 0}, sizes=(4, 8))
@jax.jit
def encode(x):
    return jnp.tanh(x)


@jax.jit
def held(state, x):
    return state.w + x


scale = jax.jit(lambda x, s: x * s)


def squared(x):
    return (x**2).sum()


slope = jax.jit(jax.vmap(jax.grad(squared)))


@partial(jax.jit, static_argnames=("dtype", "kind"))
def convert(x, dtype, kind=None):
    return x.astype(dtype)


@jax.jit
def sample(key):
    return jax.random.normal(key, (3,))


STATE = State(np.ones(3, np.float32))


def traffic():
    rng = np.random.default_rng(0)
    params = {"w": np.ones((4, 4), np.float32), "b": [np.zeros(4, np.float32)]}
    for n in (2, 3, 8):
        x = rng.normal(size=(n, 4)).astype(np.float32)
        predict(params, x)
        predict(params, x, mode=Mode.MEAN, config=Config(2, name="b"))
        encode(x)
    scale(x, 2.0)
    scale(x, 2)
    slope(x)
    convert(x, np.dtype("int32"), kind=float)
    convert(x, jnp.bfloat16)
    sample(KEY)
    held(STATE, x[0, :3])
    scale(jax.device_put(x, jax.devices()[0]), 2)
    spec = jax.sharding.PartitionSpec("data", None)
    scale(jax.device_put(x, jax.sharding.NamedSharding(MESH, spec)), 2)


KEY = jax.random.key(1)
MESH = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))

if __name__ == "__main__":
    traffic()
    jax.jit(lambda x: x - 1)(np.ones(3, np.float32))
"""
FROZEN = """\
import server
import warmup
import whyjit

done = warmup.warm_up({"held.state": server.STATE})
print([name for name, _, note in done if note])
with whyjit.frozen():
    server.traffic()
print("held")
print([note for name, _, note in warmup.warm_up() if name == "held@1"])
"""


DEVICES = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}


def python(folder, *command):
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False, env=DEVICES
    )


def run(folder, *command):
    done = python(folder, *command)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("warmup")
    (root / "server.py").write_text(SERVER)
    run(root, "-m", "whyjit", "run", "server.py")
    told = run(root, "-m", "whyjit", "warmup", "-o", "warmup.py")
    assert "17 programs to compile ahead; " in told.stderr, told.stderr
    return root


def test_the_recorded_traffic_compiles_nothing_afterwards(folder):
    (folder / "frozen.py").write_text(FROZEN)
    out = run(folder, "frozen.py").stdout.splitlines()
    assert out == ["[]", "held", "['left out: it needs held.state, which was not given']"]


def test_without_it_the_traffic_would_compile(folder):
    cold = "import server, whyjit\nwith whyjit.frozen():\n    server.traffic()\n"
    done = python(folder, "-c", cold)
    assert done.returncode == 1
    assert "FrozenError" in done.stderr


def test_the_module_says_what_it_leaves_out(folder):
    text = (folder / "warmup.py").read_text()
    assert "- held.state: it is a State" in text
    assert "- <lambda>: it is a lambda that no name at the module's top level holds" in text


def test_the_module_is_clean(folder):
    pytest.importorskip("ruff")
    lint = ["ruff", "check", "--isolated", "--select", "E,F,W,I,N,UP,B,C4,D,SIM,RET,PL,RUF"]
    run(folder, "-m", *lint, "--ignore", "D203,D213,PLC0415,PLR2004", "warmup.py")
    run(folder, "-m", "ruff", "format", "--isolated", "--check", "warmup.py")


def test_as_a_command_it_tells_what_it_does(folder):
    done = run(folder, "warmup.py")
    lines = done.stderr.splitlines()
    assert len(lines) == 18
    assert lines[-1].endswith("in all")
    assert any("predict@1" in line for line in lines)
    assert run(folder, "warmup.py", "--quiet", "--seconds", "0").stderr == ""


def test_equinox_is_given_arrays_and_the_model(tmp_path):
    pytest.importorskip("equinox")
    (tmp_path / "net.py").write_text(
        "import equinox as eqx\nimport jax\nimport numpy as np\n\n\n"
        "@eqx.filter_jit\ndef apply(net, x):\n    return net(x)\n\n\n"
        "NET = eqx.nn.Linear(4, 3, key=jax.random.key(0))\nX = jax.device_put(np.ones(4, np.float32))\n\n"
        'if __name__ == "__main__":\n    apply(NET, X)\n'
    )
    run(tmp_path, "-m", "whyjit", "run", "net.py")
    run(tmp_path, "-m", "whyjit", "warmup", "-o", "warmup.py")
    (tmp_path / "frozen.py").write_text(
        "import net, warmup, whyjit\n"
        'print([note for *_, note in warmup.warm_up({"apply.net": net.NET})])\n'
        "with whyjit.frozen():\n    net.apply(net.NET, net.X)\n"
    )
    assert run(tmp_path, "frozen.py").stdout == "['']\n"
