"""What is noted of operations called outside a jit: that an array is gone through, or that it was called back."""

import functools

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
import pytest

import whyjit


def eager_ops(recording, name):
    """The findings of the operations called one by one in a function of this file."""
    some = [one for one in recording.report()["functions"] if one["origin"] == "eager" and name in one["qualname"]]
    return [found for one in some for found in one["findings"] if found["code"] == "eager-ops"]


def through(array):
    return [float(value) for value in array]


def test_an_array_that_is_gone_through_element_by_element():
    arrays = [jnp.zeros(length) for length in (11, 12, 13, 14)]
    with whyjit.record() as recording:
        for array in arrays:
            through(array)
    (found,) = eager_ops(recording, "through")
    assert found["remedy"].startswith("make a NumPy array of it first")


def positive(value):
    return jnp.sum(value[value > 0]) * 3


@pytest.mark.parametrize(
    "call_back",
    [
        lambda x: jax.debug.callback(positive, x),
        lambda x: jax.experimental.io_callback(positive, jax.ShapeDtypeStruct((), x.dtype), x),
        lambda x: jax.pure_callback(positive, jax.ShapeDtypeStruct((), x.dtype), x),
    ],
)
def test_operations_in_a_function_that_a_staged_program_calls_back(call_back):
    jax.clear_caches()
    step = jax.jit(functools.partial(lambda f, x: (f(x), x + 1), call_back))
    with whyjit.record() as recording:
        jax.block_until_ready(step(jnp.arange(-3.0, 5.0)))
        jax.effects_barrier()
    found = eager_ops(recording, "positive")
    assert found
    assert all("called back by a staged program" in one["text"] for one in found)
    assert all(one["remedy"].startswith("work with NumPy in a callback") for one in found)


def test_a_wrapper_of_a_library_is_passed_over_for_what_it_calls():
    eqx = pytest.importorskip("equinox")
    nets = [eqx.nn.MLP(size, 3, 4, 1, key=jax.random.key(0)) for size in (2, 5, 6, 7)]
    with whyjit.record() as recording:
        for net, size in zip(nets, (2, 5, 6, 7), strict=True):
            forward(net, np.ones(size, np.float32))  # by jax.named_scope's and equinox's wrappers
        for size in (21, 22, 23, 24):
            made(eqx, size)
    assert "all of them inside equinox's `MLP.__call__`" in eager_ops(recording, "forward")[0]["text"]
    assert "all of them inside equinox's `Linear`" in eager_ops(recording, "made")[0]["text"]


def forward(net, x):
    return net(x)


def made(eqx, size):
    return eqx.nn.Linear(size, 3, key=jax.random.key(0))
