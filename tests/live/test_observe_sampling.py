"""Where a slow trace stands is seen from whyjit's own thread, and a quick one is not looked at."""

import gc
import time
import weakref

import jax
import jax.numpy as jnp

import whyjit
from whyjit.analyse.tracetime import by_seconds
from whyjit.store import reader


def wait():
    time.sleep(0.9)


def slow(x):
    wait()
    return x * 2


def quick(x):
    return x + 1


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
        jax.jit(quick)(jnp.ones(3))
    found = specializations(tmp_path)
    assert not found["quick"].samples
    assert not found["slow"].samples  # they are those of the trace it is a part of
    tree = by_seconds(found["outer"].samples)
    chain = []
    while tree.children:
        (tree,) = tree.children
        chain.append((tree.line, tree.function))
    assert chain == [
        (outer.__wrapped__.__code__.co_firstlineno + 2, "outer"),
        (slow.__code__.co_firstlineno + 1, "slow"),
        (wait.__code__.co_firstlineno + 1, "wait"),
    ]


def test_looking_keeps_nothing_alive(tmp_path):
    references = []

    def leaves(x):
        y = x * 2
        references.append(weakref.ref(y))
        time.sleep(0.9)
        return y + 1

    with whyjit.record(tmp_path):
        jax.jit(leaves)(jnp.ones(3))
        gc.collect()
        assert references[0]() is None
    assert specializations(tmp_path)["leaves"].samples
