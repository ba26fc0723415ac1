"""What is said of the values that were passed: scalars of Python's are known without reading any array."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import whyjit
from whyjit.explaining import explain
from whyjit.observe.given import Eyes, GivenValues
from whyjit.present.failure_text import render


def last(recording):
    return recording.report()["failures"][-1]


def fails(function, *args, **kwargs):
    with pytest.raises(Exception):  # noqa: B017, PT011 - whichever it is
        function(*args, **kwargs)


def step(x, n):
    return x if n > 2 else -x


def test_a_scalar_of_pythons_is_known_and_an_array_is_not_read():
    with whyjit.record() as recording:
        fails(jax.jit(lambda v, n: v if v.sum() > n else -v), jnp.ones(3), 2)
    given = {one["path"]: one for one in last(recording)["given"]}
    assert given["n"] == {
        "path": "n", "holder": "python", "type": "int", "value": "2", "values": ["2"], "distinct": 1, "calls": 1,
    }  # fmt: skip
    assert (given["v"]["holder"], given["v"]["value"], given["v"]["values"]) == ("jax", "", [])


def test_the_values_of_earlier_calls_are_counted():
    f = jax.jit(step)
    with whyjit.record() as recording:
        for n in (1, 2, 1, 2, 1, 2):
            fails(f, 1.0, n)
    found = last(recording)
    assert [(one["values"], one["distinct"], one["calls"]) for one in found["given"]] == [(["1", "2"], 2, 6)]
    assert found["nature"] == "configuration"  # two values in six calls
    assert found["remedy_details"][0]["name"] == "static_argnames"
    assert "n was the Python int 2; 2 values in 6 uncached calls: 1, 2" in found["text"]


def test_calls_that_were_traced_count_and_cached_ones_do_not():
    f = jax.jit(lambda v, n: v * n if v.ndim == 1 else step(v, n))
    with whyjit.record() as recording:
        f(jnp.ones(2), 3)
        f(jnp.ones(2), 4)  # cached: not looked at
        f(jnp.ones(3), 5)
        fails(f, 1.0, 6)
    assert [(one["values"], one["calls"]) for one in last(recording)["given"]] == [(["3", "5", "6"], 3)]


def test_a_float_that_changes_is_data():
    f = jax.jit(lambda x, lr: x if lr > 0.5 else x * lr)
    with whyjit.record() as recording:
        for lr in (0.1, 0.2, 0.3):
            fails(f, 1.0, lr)
    found = last(recording)
    assert found["nature"] == "data"
    assert "lr had 3 values in 3 uncached calls" in found["nature_evidence"]
    assert "static_argnames" not in [one["name"] for one in found["remedy_details"]]


def test_a_size_with_many_values_is_told_what_it_costs():
    f = jax.jit(lambda n: jnp.zeros(n))  # noqa: PLW0108 - a function of its own
    with whyjit.record() as recording:
        for n in (3, 4, 5):
            fails(f, n)
    found = last(recording)
    assert found["nature"] == "configuration"
    assert found["nature_evidence"].endswith("n had 3 values in 3 uncached calls, and each is a program of its own")


def test_numpy_scalars_are_arrays_here():
    with whyjit.record() as recording:
        fails(jax.jit(step), 1.0, np.int32(3))
    assert [(one["holder"], one["type"], one["value"]) for one in last(recording)["given"]] == [("numpy", "int32", "")]


def test_without_a_jit_around_the_value_of_this_call_is_known():
    def scaled(x, t):
        return jax.jit(step)(x.sum(), t)

    with whyjit.record() as recording:
        fails(jax.vmap(scaled, (0, None)), jnp.ones((2, 3)), 2)
        assert {one["path"]: one["value"] for one in last(recording)["given"]} == {"t": "2"}
        fails(jax.jvp, scaled, (jnp.ones(3), 2.5), (jnp.ones(3), 0.0))
        assert {one["path"]: one["value"] for one in last(recording)["given"]} == {"t": "2.5"}


def test_values_can_be_hidden(monkeypatch):
    monkeypatch.setenv("WHYJIT_REDACT", "true")
    f = jax.jit(step)
    with whyjit.record() as recording:
        for n in (12345, 54321):
            fails(f, 1.0, n)
    found = last(recording)
    assert [(one["value"], one["values"], one["distinct"]) for one in found["given"]] == [("<hidden>", [], 2)]
    assert "12345" not in str(found)
    assert "54321" not in str(found)


def test_values_are_hidden_without_a_recording_too(monkeypatch):
    monkeypatch.setenv("WHYJIT_REDACT", "true")
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        jax.jit(step)(1.0, 12345)
    assert "12345" not in str(explain(caught.value))


def test_the_text_shows_what_was_passed():
    f = jax.jit(lambda v, w, n: v if (v + w).sum() > n else -v)
    text = render(explain_of(lambda: f(jnp.ones(3), jnp.ones(3), 2.5)))
    assert "given as    v, w: a JAX array, whose values are not read" in text
    assert "            n: the Python float 2.5" in text


def explain_of(program):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whichever it is
        program()
    return explain(caught.value).failure


def test_the_leaves_of_an_nnx_module_have_its_own_names():
    nnx = pytest.importorskip("flax.nnx")

    class Net(nnx.Module):
        def __init__(self):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.first = nnx.Linear(2, 2, rngs=nnx.Rngs(0))

        def __call__(self, x):
            y = self.first(x)
            return y if y.sum() > 0 else -y

    run = nnx.jit(lambda model, x: model(x))
    graded = nnx.jit(lambda model, x: nnx.grad(lambda m: m(x).sum())(model))
    for function in (run, graded):
        failure = explain_of(lambda function=function: function(Net(), jnp.ones((1, 2))))
        assert set(failure.arguments) == {"model.first.kernel", "model.first.bias", "x"}
        assert {one.path: one.holder for one in failure.given} == dict.fromkeys(failure.arguments, "jax")


def test_the_leaves_of_an_equinox_module_have_its_own_names():
    eqx = pytest.importorskip("equinox")
    model = eqx.nn.MLP(2, 1, 4, 1, key=jax.random.key(0))
    run = eqx.filter_jit(lambda m, x: x if m.layers[0].weight.sum() > 0 else -x)
    assert explain_of(lambda: run(model, jnp.ones(2))).arguments == ("m.layers[0].weight",)


def test_the_fields_of_a_registered_dataclass_have_their_names():
    import dataclasses

    kind = dataclasses.make_dataclass("Adam", ["count", "lr"])
    jax.tree_util.register_dataclass(kind, ["count", "lr"], [])
    run = jax.jit(lambda opt, g: g if opt.count > 3 else -g)
    failure = explain_of(lambda: run(kind(1, 0.5), 1.0))
    assert failure.arguments == ("opt.count",)
    assert failure.given[0].value == "1"


def test_what_is_neither_a_scalar_nor_an_array_is_not_described():
    assert Eyes(GivenValues()).look(None, "mode", "text") is None
    assert Eyes(GivenValues()).look(None, "x", jnp.ones(3)).holder == "jax"
