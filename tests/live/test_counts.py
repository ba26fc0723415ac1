"""The five counts are exact, in every situation where one of them is easily taken for another."""

from __future__ import annotations

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from truth import function, truth

import whyjit


def test_same_call_again_is_a_hit():
    runs = 0

    @jax.jit
    def double(x):
        nonlocal runs
        runs += 1
        return x * 2

    x = jnp.ones(3)
    with truth() as true, whyjit.record() as recording:
        for _ in range(7):
            double(x)
    found = function(recording.report(), "double")
    assert (found["calls"], found["traces"], found["lowerings"], found["compiles"]) == (7, 1, 1, 1)
    assert (runs, true.lowerings["double"], true.compiles["double"]) == (1, 1, 1)
    assert found["misses"] == 1


def test_numpy_argument_misses_the_fast_path_and_nothing_else():
    double = jax.jit(lambda x: x * 2)
    with whyjit.record() as recording:
        double(jnp.ones(3))
        double(np.ones(3, np.float32))
        double(np.ones(3, np.float32))
    found = function(recording.report(), "<lambda>")
    assert (found["calls"], found["traces"], found["compiles"], found["misses"]) == (3, 1, 1, 2)
    assert len(found["specializations"]) == 1


def test_committed_argument_compiles_without_a_trace():
    double = jax.jit(lambda x: x * 2)
    x = jnp.ones(3)
    with truth() as true, whyjit.record() as recording:
        double(x)
        double(jax.device_put(x, jax.devices()[0]))
        double(x)
    found = function(recording.report(), "<lambda>")
    assert (found["calls"], found["traces"], found["compiles"]) == (3, 1, 2)
    assert true.compiles["<lambda>"] == 2
    second = found["specializations"][1]
    assert second["stages"] == ["lower", "compile"]
    assert second["cause"]["kind"] == "sharding"
    assert second["cause"]["changes"][0]["path"] == "x"
    assert second["program"]["delta"] == "identical"


def test_second_jit_with_other_options_compiles_without_a_trace():
    def add(x):
        return x + 1

    with whyjit.record() as recording:
        jax.jit(add)(jnp.ones(3))
        jax.jit(add, donate_argnums=0)(jnp.ones(3))
        jax.jit(add)(jnp.ones(3))
    found = function(recording.report(), "add")
    assert (found["calls"], found["traces"], found["compiles"]) == (3, 1, 2)
    assert found["specializations"][1]["cause"]["kind"] == "jit_options"


def test_nested_jit_is_traced_and_not_compiled():
    runs = []

    @jax.jit
    def inner(x):
        runs.append("inner")
        return x + 1

    @jax.jit
    def outer(x):
        runs.append("outer")
        return inner(x) * inner(x)

    with whyjit.record() as recording:
        outer(jnp.ones(3))
        outer(jnp.ones(3))
    report = recording.report()
    found_inner, found_outer = function(report, "inner"), function(report, "outer")
    assert runs == ["outer", "inner"]
    assert (found_inner["calls"], found_inner["nested_calls"], found_inner["traces"], found_inner["compiles"]) == (
        0,
        2,
        1,
        0,
    )
    assert (found_outer["calls"], found_outer["traces"], found_outer["compiles"]) == (2, 1, 1)
    assert found_outer["trace_own_s"] <= found_outer["trace_s"]


@pytest.mark.parametrize("transform", [lambda f: jax.grad(lambda x: f(x).sum()), jax.vmap], ids=["grad", "vmap"])
def test_under_a_transformation(transform):
    runs = 0

    @jax.jit
    def square(x):
        nonlocal runs
        runs += 1
        return x**2

    x = jnp.ones(3)
    with truth() as true, whyjit.record() as recording:
        for _ in range(3):
            transform(square)(x)
    found = function(recording.report(), "square")
    assert runs == 1
    assert (found["calls"], found["traces"]) == (3, 1)
    assert found["compiles"] == true.compiles["square"] + true.compiles["jvp(square)"]


def test_ahead_of_time():
    double = jax.jit(lambda x: x * 2)
    x = jnp.ones(3)
    with truth() as true, whyjit.record() as recording:
        double.trace(x)
        compiled = double.lower(x).compile()
        compiled(x)
        double(x)
    found = function(recording.report(), "<lambda>")
    assert (found["calls"], found["traces"], found["lowerings"]) == (1, 1, 1)
    assert found["compiles"] == true.compiles["<lambda>"]


def test_eval_shape_before_a_call():
    runs = 0

    def double(x):
        nonlocal runs
        runs += 1
        return x * 2

    jitted = jax.jit(double)
    x = jnp.ones(3)
    with whyjit.record() as recording:
        jax.eval_shape(jitted, x)
        jitted(x)
    found = function(recording.report(), "double")
    assert (runs, found["traces"], found["compiles"], found["calls"]) == (1, 1, 1, 1)


def test_a_trace_that_raises_is_a_trace():
    runs = 0

    @jax.jit
    def branch(x):
        nonlocal runs
        runs += 1
        return x if x.sum() > 0 else -x

    with whyjit.record() as recording:
        for _ in range(3):
            with pytest.raises(jax.errors.TracerBoolConversionError):
                branch(jnp.ones(3))
    found = function(recording.report(), "branch")
    assert (runs, found["traces"], found["compiles"], found["calls"]) == (3, 3, 0, 3)
    assert [s["cause"]["kind"] for s in found["specializations"]] == ["first", "retry_after_error", "retry_after_error"]


def test_persistent_cache_hit_is_no_compile(tmp_path):
    from jax._src import compilation_cache

    before = jax.config.jax_compilation_cache_dir
    least = jax.config.jax_persistent_cache_min_compile_time_secs
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    compilation_cache.reset_cache()
    try:
        triple = jax.jit(lambda x: jnp.sin(x) * 3)
        x = jnp.ones(3)
        with truth() as true, whyjit.record() as recording:
            triple(x)
            jax.clear_caches()
            triple(x)
        found = function(recording.report(), "<lambda>")
        assert true.loads >= 1
        assert (found["traces"], found["compiles"], found["persistent_cache_hits"]) == (2, 1, 1)
        assert found["specializations"][1]["stages"] == ["trace", "lower", "cache_load"]
    finally:
        jax.config.update("jax_compilation_cache_dir", before)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", least)
        compilation_cache.reset_cache()


def test_threads_lose_nothing():
    add = jax.jit(lambda x, y: x + y)
    x = jnp.ones(3)
    add(x, x)
    each = 3000

    def work(shape):
        y = np.ones(shape, np.float32)
        z = jnp.ones(shape)
        for at in range(each):
            add(z, y if at % 100 == 0 else z)

    with whyjit.record() as recording:
        threads = [threading.Thread(target=work, args=(size,)) for size in (3, 4, 5, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = function(recording.report(), "<lambda>")
    assert found["calls"] == 4 * each
    assert (
        sum(row.count for row in recording.recording().rows if not row.nested and row.function in _ids(recording))
        == 4 * each
    )


def _ids(recording):
    return {f.id for f in recording.recording().functions if f.origin == "user"}


def test_debug_nans_keeps_its_hook_and_hits_are_counted():
    inverse = jax.jit(lambda x: 1 / x)
    log = jax.jit(lambda x: jnp.log(x * 1))
    x = jnp.ones(3)
    with whyjit.record() as recording:
        inverse(x)
        with jax.debug_nans(True):
            inverse(x)
            log(x)
            with pytest.raises(FloatingPointError):
                log(-x)
        jnp.var(x)  # JAX leaves a debug_nans context of its own here
        inverse(x)
        inverse(x)
    calls = sum(f["calls"] for f in recording.report()["functions"] if f["origin"] == "user")
    assert calls == 6


def test_jnp_functions_are_counted_at_the_users_line():
    with truth() as true, whyjit.record() as recording:
        for size in (3, 4, 5):
            jnp.tanh(np.ones(size, np.float32))
    report = recording.report()
    eager = [f for f in report["functions"] if f["origin"] == "eager"]
    assert sum(f["compiles"] for f in eager) == sum(true.compiles.values())
    assert any(f["file"].endswith("test_counts.py") and f["compiles"] >= 3 for f in eager)


def test_function_jitted_and_called_before_recording():
    double = jax.jit(lambda x: x * 2)
    x = jnp.ones(3)
    double(x)
    with whyjit.record() as recording:
        double(x)
        double(x)
        double(jnp.ones(4))
    found = function(recording.report(), "<lambda>")
    assert (found["calls"], found["traces"], found["compiles"]) == (3, 1, 1)
    assert [s["calls"] for s in found["specializations"]] == [2, 1]


def test_without_calls_only_misses_are_seen():
    double = jax.jit(lambda x: x * 2)
    with whyjit.record(calls=False) as recording:
        for _ in range(5):
            double(jnp.ones(3))
    found = function(recording.report(), "<lambda>")
    assert (found["calls"], found["traces"], found["compiles"]) == (1, 1, 1)


def test_eight_specializations_are_told_apart_by_one_leaf():
    total = jax.jit(lambda tree: sum(jnp.sum(leaf) for leaf in tree.values()))
    trees = [{f"k{at}": jnp.ones(3) for at in range(20)} | {"x": jnp.ones(size)} for size in range(2, 10)]
    with whyjit.record() as recording:
        for _ in range(5):
            for tree in trees:
                total(tree)
    found = function(recording.report(), "<lambda>")
    assert [s["calls"] for s in found["specializations"]] == [5] * 8
