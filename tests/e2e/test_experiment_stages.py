"""Later stages of a recorded program, had by staging it again; and what is said where they cannot be had."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("jax")
pytestmark = pytest.mark.e2e

PROGRAM = """\
import functools
import jax
import jax.numpy as jnp

SCALE = 2.0

@functools.partial(jax.jit, static_argnames="mode")
def step(params, x, mode="sum"):
    y = jnp.tanh(x @ params["w"]) * SCALE
    return y.sum() if mode == "sum" else y.mean()

def plain(x):
    return jnp.sin(x) + 1.0

if __name__ == "__main__":
    params = {"w": jnp.ones((3, 4))}
    step(params, jnp.ones((2, 3)))
    step(params, jnp.ones((2, 3)), mode="mean")
    jax.jit(plain)(jax.device_put(jnp.ones(5), jax.devices()[0]))
    jax.jit(lambda x: x * 2)(jnp.ones(3))
    print("ran")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stages")
    (folder / "train.py").write_text(PROGRAM)
    done = whyjit(folder, "run", "--quiet", "train.py")
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    return folder


def whyjit(folder, *arguments):
    env = {**os.environ, "COLUMNS": "100", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "whyjit", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_stablehlo_of_the_recorded_call(folder):
    done = whyjit(folder, "show", "step@2", "--stage", "stablehlo")
    assert done.returncode == 0, done.stderr
    assert "the program is the recorded one" in " ".join(done.stdout.split())
    assert "tensor<2x3xf32>" in done.stdout
    assert "stablehlo.tanh" in done.stdout
    assert "ran" not in done.stdout


def test_the_cost_of_a_plain_function_that_was_jitted_elsewhere(folder):
    done = whyjit(folder, "show", "plain", "--cost", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert '"transcendentals": 5' in done.stdout
    assert '"argument_size_in_bytes": 20' in done.stdout


def test_a_lambda_cannot_be_found_again(folder):
    done = whyjit(folder, "show", "<lambda>", "--stage", "hlo")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no name to find it by" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_program_that_has_changed_is_not_shown_for_the_recorded_one(folder):
    try:
        (folder / "train.py").write_text(PROGRAM.replace("SCALE = 2.0", "SCALE = 3.0"))
        done = whyjit(folder, "show", "step@1", "--stage", "hlo")
    finally:
        (folder / "train.py").write_text(PROGRAM)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the program that is staged now is another one" in done.stderr
