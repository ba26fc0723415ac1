"""Where a slow trace stands is seen from whyjit's own thread."""

import gc
import threading
import time
import weakref

import jax
import jax.numpy as jnp
import pytest

import whyjit
from whyjit.observe.sampling import Samples
from whyjit.store import reader

LIMIT_S = 120
looked = threading.Event()


@pytest.fixture(autouse=True)
def telling(monkeypatch):
    """Set `looked` once a trace was seen thrice at the line that waits for it, however slowly the threads get on."""
    add, seen = Samples.add, []

    def told(samples, stack, now):
        add(samples, stack, now)
        seen.extend(place for place in stack[-1:] if place.function.endswith(("wait", "leaves")))
        if len(seen) >= 3:
            looked.set()

    looked.clear()
    monkeypatch.setattr(Samples, "add", told)


def wait():
    looked.wait(LIMIT_S)


def slow(x):
    wait()
    return x * 2


@jax.jit
def outer(x):
    return jax.jit(slow)(x)


def specializations(folder):
    recording = reader.load(reader.main_file(reader.find_run(folder, folder)))
    names = {function.id: function.name for function in recording.functions}
    return {names[spec.function]: spec for spec in recording.specializations}


def test_the_lines_of_a_slow_trace(tmp_path):
    with whyjit.record(tmp_path):
        outer(jnp.ones(3))
    found = specializations(tmp_path)
    assert not found["slow"].samples  # they are those of the trace it is a part of
    chain = [
        (outer.__wrapped__.__code__.co_firstlineno + 2, "outer"),
        (slow.__code__.co_firstlineno + 1, "slow"),
        (wait.__code__.co_firstlineno + 1, "wait"),
    ]
    stacks = {tuple((place.line, place.function) for place in sample.places) for sample in found["outer"].samples}
    assert tuple(chain) in stacks
    # It may be seen at other lines, too, where they take their time: never in a call that no line of them makes.
    callers = {"outer": chain[:0], "slow": chain[:1], "wait": chain[:2]}
    for stack in stacks - {()}:
        assert list(stack[:-1]) == callers[stack[-1][1]]


def test_looking_keeps_nothing_alive(tmp_path):
    references = []

    def leaves(x):
        y = x * 2
        references.append(weakref.ref(y))
        looked.wait(LIMIT_S)
        return y + 1

    with whyjit.record(tmp_path):
        jax.jit(leaves)(jnp.ones(3))
        # A look that is under way holds the frames it looks at until it is over.
        until = time.monotonic() + LIMIT_S
        while references[0]() is not None and time.monotonic() < until:
            gc.collect()
            time.sleep(0.01)
        assert references[0]() is None
    assert specializations(tmp_path)["leaves"].samples
