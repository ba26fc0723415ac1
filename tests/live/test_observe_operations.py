"""JAX's operations called one by one: which specialization of a line a call belongs to, and at what price."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import whyjit
from whyjit.observe import signatures


def operations(recording, name):
    """The specializations of the operations called one by one in a function of this file, with their calls."""
    found = recording.recording()
    lines = {one.id for one in found.functions if one.origin == "eager" and one.qualname.endswith(name)}
    return [spec for spec in found.specializations if spec.function in lines]


@pytest.fixture
def described(monkeypatch):
    """What is described in full, which is what costs."""
    seen = []
    build = signatures.build
    monkeypatch.setattr(signatures, "build", lambda call, *rest: seen.append(call) or build(call, *rest))
    return seen


def height(x):
    return jnp.tanh(x)


def test_an_operation_called_again_is_counted_and_not_described_again(described):
    jax.clear_caches()
    slope = jax.grad(lambda x: height(x).sum())
    with whyjit.record() as recording:
        slope(jnp.ones(3))
        slope(jnp.ones(3))
        before = len(described)
        for _ in range(20):
            slope(jnp.ones(3))
        assert len(described) == before
    (tanh,) = [spec for spec in operations(recording, "height") if spec.operation == "tanh"]
    assert tanh.calls == 22


def test_under_another_transformation_it_is_another(described):
    jax.clear_caches()
    x = jnp.ones((2, 3))
    with whyjit.record() as recording:
        for _ in range(3):
            jax.vmap(height)(x)
        for _ in range(4):
            jax.jvp(height, (x,), (x,))
    calls = {}
    for spec in operations(recording, "height"):
        if spec.operation == "tanh":
            transforms = spec.signature.transforms
            calls[transforms] = calls.get(transforms, 0) + spec.calls
    assert calls == {("vmap",): 3, ("jvp",): 4}


def test_arguments_committed_to_a_device_have_a_compile_of_their_own():
    jax.clear_caches()
    free, fixed = jnp.ones(3), jax.device_put(jnp.ones(3), jax.devices()[0])
    with whyjit.record() as recording:
        for x in (free, fixed, free, fixed):
            height(x)
    kinds = [[stage.kind for stage in spec.stages] for spec in operations(recording, "height")]
    assert kinds == [["trace", "lower", "compile"], ["lower", "compile"]]
