"""Functions behind the wrappers of other packages: hits are the user's function's, and leaves have the user's names."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import whyjit


def function(recorded, name):
    found = [one for one in recorded.report()["functions"] if one["name"] == name]
    assert len(found) == 1, [one["name"] for one in recorded.report()["functions"]]
    return found[0]


def test_calls_of_an_equinox_function():
    eqx = pytest.importorskip("equinox")

    @eqx.filter_jit
    def scale(tree, x):
        return tree["by"] * x

    with whyjit.record() as recorded:
        for by in (2.0, 3.0, 3.0, 2.0, 2.0):
            scale({"by": by}, np.ones(3, np.float32))
    found = function(recorded, "scale")
    assert (found["origin"], found["calls"], found["traces"]) == ("user", 5, 2)
    assert [spec["calls"] for spec in found["specializations"]] == [3, 2]


def test_calls_of_an_equinox_function_that_was_compiled_before():
    eqx = pytest.importorskip("equinox")

    @eqx.filter_jit
    def scale(x):
        return x * 2

    scale(np.ones(3, np.float32))
    with whyjit.record() as recorded:
        for _ in range(3):
            scale(np.ones(3, np.float32))
    found = function(recorded, "scale")
    assert (found["origin"], found["calls"], found["traces"]) == ("user", 3, 0)


def test_hits_of_an_equinox_function_are_found_by_what_differs():
    eqx = pytest.importorskip("equinox")

    @eqx.filter_jit
    def scale(tree, x, *, sign):
        return sign * tree[0]["by"] * x

    calls = [(2.0, 3), (2.0, 4), (jnp.float32(2), 3), (3.0, 3)]
    with whyjit.record() as recorded:
        for by, size in calls + calls + calls[1:]:
            scale([{"by": by}], np.ones(size, np.float32), sign=1)
    found = function(recorded, "scale")
    assert [spec["calls"] for spec in found["specializations"]] == [2, 3, 3, 3]


def test_arrays_of_an_nnx_module():
    nnx = pytest.importorskip("flax.nnx")

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.first = nnx.Linear(2, 3, rngs=rngs)
            self.norm = nnx.BatchNorm(3, rngs=rngs)
            self.again = self.first  # one that is met twice has its arrays once

        def __call__(self, x):
            return self.norm(self.first(x))

    @nnx.jit
    def apply(net, x):
        return net(x)

    net = Net(nnx.Rngs(0))
    with whyjit.record() as recorded:
        apply(net, jnp.ones((4, 2)))
    (spec,) = function(recorded, "apply")["specializations"]
    shapes = {one["path"]: one["shape"] for one in spec["arguments"] if one["role"] == "array"}
    assert [shape for path, shape in shapes.items() if path.endswith(".kernel")] == [[2, 3]]
    assert {"net.first.kernel", "net.again.kernel"} & set(shapes)
    assert shapes["net.norm.mean"] == [3]
    assert shapes["x"] == [4, 2]
    assert len(shapes) == 7


def test_static_attributes_of_an_nnx_module_are_told_by_their_names():
    nnx = pytest.importorskip("flax.nnx")
    dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

    @nnx.jit
    def forward(layer, x):
        return layer(x)

    with whyjit.record() as recorded:
        forward(dropout, np.ones(3, np.float32))
        dropout.eval()
        forward(dropout, np.ones(3, np.float32))
    _, second = function(recorded, "forward")["specializations"]
    assert second["cause"]["changes"][0]["path"] == "layer._graphdef"
    assert "deterministic: False -> True" in second["cause"]["text"]


def test_a_module_that_is_made_up_otherwise_is_not_guessed():
    from whyjit.jaxlink import nnx

    class NodeStates:
        states = ([1, 2],)

        class _graphdef:  # noqa: N801 - flax's name
            nodes = ()
            attributes = ()

    assert nnx.arrays_of(NodeStates()) is None


needs_pmap_of_jit = pytest.mark.skipif(
    tuple(map(int, jax.__version__.split(".")[:2])) < (0, 8), reason="pmap is no jit before JAX 0.8"
)


@needs_pmap_of_jit
def test_calls_of_a_mapped_function_are_the_users():
    @functools.partial(jax.pmap, axis_name="batch", static_broadcasted_argnums=2)
    def grads(w, tree, power):
        return jax.lax.pmean((w * tree["x"]).sum() ** power, "batch")

    w = np.ones((1, 3), np.float32)
    with whyjit.record() as recorded:
        for size in (4, 4, 3, 4, 3):
            grads(w, {"x": np.ones((1, size, 3), np.float32)}, 2)
        grads(w, {"x": np.ones((1, 4, 3), np.float32)}, 3)
    found = function(recorded, "grads")
    assert (found["origin"], found["calls"], found["traces"], found["compiles"]) == ("user", 6, 3, 3)
    first, second, third = found["specializations"]
    assert [first["calls"], second["calls"], third["calls"]] == [3, 2, 1]
    shape = {"kind": "shape", "path": "tree['x']", "old": "f32[1,4,3]", "new": "f32[1,3,3]"}
    assert shape.items() <= second["cause"]["changes"][0].items()
    static = {"kind": "static", "path": "power", "old": "2", "new": "3"}
    assert static.items() <= third["cause"]["changes"][0].items()


@needs_pmap_of_jit
def test_mapping_one_function_again_is_no_new_function():
    def double(x):
        return x * 2

    with whyjit.record() as recorded:
        for _ in range(3):
            jax.pmap(double)(np.ones((1, 3), np.float32))
    found = function(recorded, "double")
    assert (found["calls"], found["traces"], found["compiles"]) == (3, 1, 1)


@needs_pmap_of_jit
def test_a_mapped_function_that_was_compiled_before():
    mapped = jax.pmap(lambda x: x * 2)
    mapped(np.ones((1, 3), np.float32))
    with whyjit.record() as recorded:
        mapped(np.ones((1, 3), np.float32))
        mapped(np.ones((1, 3), np.float32))
    found = function(recorded, "<lambda>")
    assert (found["calls"], found["traces"]) == (2, 0)
