"""When whyjit's own thread does its work: not while JAX lowers in Python, and yet soon."""

from __future__ import annotations

import contextlib
import time

import jax
import jax.numpy as jnp

import whyjit
from whyjit.jaxlink import events
from whyjit.observe import observer
from whyjit.store import contents, reader
from whyjit.store.errors import StoreError


def test_it_waits_from_the_end_of_a_trace_to_that_of_the_lowering():
    said = {}

    def heard(event, *_, **details):
        if observer._probes is not None:
            said.setdefault(event, observer._probes.calls.lowering)

    listeners = events.Listeners(heard, lambda *_, **details: None)  # told before whyjit's own
    try:
        with whyjit.record():
            jax.jit(lambda x: jnp.sin(x) + 1)(jnp.ones(3))
    finally:
        listeners.remove()
    assert (said[events.LOWER], said[events.COMPILE]) == (True, False)


def test_it_waits_for_no_lowering_that_never_comes(tmp_path):
    def written():
        with contextlib.suppress(StoreError):  # nothing is there yet
            found = contents.load(reader.main_file(reader.find_run(tmp_path)))
            return any(spec.program for spec in found.specializations)

    with whyjit.record(tmp_path):
        jax.jit(lambda x: x * 3)(jnp.ones(3))
        observer._probes.calls.lowering = True
        until = time.monotonic() + 60
        while not written() and time.monotonic() < until:
            time.sleep(0.05)
        assert written()


def test_a_call_that_only_traces_is_followed_by_no_lowering():
    with whyjit.record():
        jax.jit(lambda x: x * 3).trace(jnp.ones(3))
        assert not observer._probes.calls.lowering
