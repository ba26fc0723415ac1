"""`whyjit.frozen()`: what it refuses and what it lets pass, where the error comes, and that JAX goes on as before."""

import asyncio
import pickle
import threading
import traceback
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import whyjit
from whyjit.jaxlink import cached, compiles, doors
from whyjit.jaxlink.missing import Missing
from whyjit.observe import observer

pytestmark = pytest.mark.live

three, four, five = (np.ones(size, np.float32) for size in (3, 4, 5))


def make(**options):
    """A jitted function of its own, with the sizes for which its body ran."""
    bodies = []

    def step(x, scale=1.0):
        bodies.append(x.shape)
        return x * scale

    return jax.jit(step, **options), bodies


def refused(call):
    with pytest.raises(whyjit.FrozenError) as raised:
        call()
    return raised.value


def test_a_new_shape_is_refused_before_its_body_runs():
    step, bodies = make()
    with whyjit.record(calls=False):
        step(three)
        with whyjit.frozen():
            error = refused(lambda: step(four))
    assert bodies == [(3,)]
    assert (error.function, error.stage, error.cause.kind) == ("step", "trace", "shape")
    (change,) = error.cause.changes
    assert (change.path, change.old, change.new) == ("x", "f32[3]", "f32[4]")
    assert "would be traced again" in str(error)
    assert "`x` changed from f32[3] to f32[4]" in str(error)
    assert isinstance(error, whyjit.WhyjitError)


def test_the_error_comes_in_the_callers_frame_and_names_its_line():
    step, _ = make()
    with whyjit.frozen(), pytest.raises(whyjit.FrozenError) as raised:
        step(three)
    frames = traceback.extract_tb(raised.value.__traceback__)
    assert frames[-1].filename == __file__
    assert frames[-1].lineno == raised.value.call_site.line
    assert raised.value.call_site.file == __file__


def test_jax_goes_on_as_if_the_refused_call_had_not_been_made():
    step, bodies = make()
    step(three)
    with whyjit.frozen():
        for _ in range(2):
            refused(lambda: step(four))
        np.testing.assert_array_equal(step(three), three)
    np.testing.assert_array_equal(step(four), four)
    with whyjit.frozen():
        np.testing.assert_array_equal(step(four), four)
    assert bodies == [(3,), (4,)]


def test_a_cached_call_costs_no_hook_and_a_numpy_array_of_a_known_type_passes():
    step, bodies = make()
    x = jnp.ones(3)
    step(x)
    with whyjit.frozen():
        assert observer._probes._hits is None
        step(three)  # leaves the fast path, and neither traces nor compiles
        step(x)
    assert bodies == [(3,)]


def test_a_compile_without_a_trace_is_refused_before_the_compiler_starts():
    step, bodies = make()
    x = jnp.ones(3)
    committed = jax.device_put(x, jax.devices()[0])
    with whyjit.record(calls=False) as recorded:
        step(x)
        with whyjit.frozen():
            for _ in range(2):
                error = refused(lambda: step(committed))
        assert recorded.report()["totals"]["compiles"] == 1
        step(committed)
    assert (error.stage, error.cause.kind) == ("compile", "sharding")
    assert "not committed" in str(error)
    assert bodies == [(3,)]
    function = next(one for one in recorded.report()["functions"] if one["name"] == "step")
    assert (function["traces"], function["compiles"]) == (1, 2)


def test_an_executable_from_the_persistent_cache_is_no_compile(tmp_path):
    settings = {
        "jax_compilation_cache_dir": str(tmp_path),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name) for name in settings}
    from jax.experimental.compilation_cache import compilation_cache

    compilation_cache.reset_cache()
    try:
        for name, value in settings.items():
            jax.config.update(name, value)
        step, _ = make()
        step(three)
        jax.clear_caches()
        step.trace(three)
        with whyjit.record() as recorded, whyjit.frozen():
            step(three)
        assert recorded.report()["totals"]["persistent_cache_hits"] == 1
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()


def test_asking_for_shapes_passes_and_the_compile_that_is_left_is_refused():
    step, bodies = make()
    with whyjit.frozen():
        jax.eval_shape(step, three)
        jax.eval_shape(lambda x: x + 1, three)
        error = refused(lambda: step(three))
    assert error.stage == "compile"
    assert "never compiled" in str(error)
    assert bodies == [(3,)]


def test_lower_of_a_new_shape_is_refused():
    step, bodies = make()
    with whyjit.frozen():
        refused(lambda: step.lower(three))
    assert bodies == []


def test_an_operation_called_by_itself_is_refused_by_name():
    x = jnp.asarray(three)
    with whyjit.frozen():
        error = refused(lambda: x + x)
    assert "operation `add`" in str(error)


def test_control_flow_outside_a_jit_is_refused():
    with whyjit.frozen():
        error = refused(lambda: jax.lax.fori_loop(0, 3, lambda _, x: x, 1.0))
    assert "outside a jit" in str(error)


def test_a_new_function_object_is_refused_with_what_it_captures():
    def scaled(by):
        return jax.jit(lambda x: x * by)

    with whyjit.record(calls=False):
        scaled(2.0)(three)
        with whyjit.frozen():
            error = refused(lambda: scaled(3.0)(three))
    assert error.cause.kind == "function"
    assert "`by` changed from 2.0 to 3.0" in str(error)


def test_nested_jits_under_grad_and_vmap():
    inner, _ = make()
    outer = jax.jit(lambda x: inner(x) + 1)
    outer(three)
    batch = np.ones((2, 3), np.float32)
    loss = jax.grad(lambda x: inner(x).sum())
    loss(three)
    jax.vmap(inner)(batch)
    with whyjit.frozen():
        outer(three)
        np.testing.assert_array_equal(loss(three), np.ones(3))
        jax.vmap(inner)(batch)
        assert refused(lambda: outer(four)).function == "<lambda>"
        assert refused(lambda: inner(five)).function == "step"
        refused(lambda: loss(four))
        outer(three)
    outer(four)
    np.testing.assert_array_equal(loss(four), np.ones(4))
    with whyjit.frozen():
        outer(four)
        loss(four)


def test_all_threads_are_held_to_it_and_each_gets_its_own_error():
    step, _ = make()
    step(three)
    found = {}

    def serve(size):
        step(three)
        try:
            step(np.ones(size, np.float32))
        except whyjit.FrozenError as error:
            found[size] = str(error)

    with whyjit.frozen():
        threads = [threading.Thread(target=serve, args=(size,)) for size in range(10, 18)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == list(range(10, 18))
    assert all(f"f32[{size}]" in text for size, text in found.items())


def test_what_was_never_recorded_is_said_to_be_unknown(monkeypatch):
    monkeypatch.setattr(cached, "traced_for", lambda *_: Missing("an older JAX"))
    step, _ = make()
    step(three)
    with whyjit.frozen():
        error = refused(lambda: step(four))
    assert error.cause.kind == "first"
    assert "would be traced inside" in str(error)
    assert "not recorded" in str(error)
    assert "x: f32[4]" in str(error)


needs_keys = pytest.mark.skipif(isinstance(cached.traced_for(len), Missing), reason="this JAX's cache cannot be asked")


@needs_keys
def test_jaxs_own_cache_tells_what_was_traced_before_anybody_looked():
    step, _ = make(static_argnames="scale")
    step(three, scale=2.0)
    with whyjit.frozen():
        for size in (4, 5, 4):  # what was refused does not count as traced
            error = refused(lambda size=size: step(np.ones(size, np.float32), scale=2.0))
            assert f"`x` changed from f32[3] to f32[{size}] (against what JAX's tracing cache holds)" in str(error)
            assert "traced again" in str(error)
        error = refused(lambda: step(three, scale=3.0))
        assert (error.cause.kind, error.cause.changes[0].path) == ("static", "scale")
        with jax.default_matmul_precision("float32"):
            error = refused(lambda: step(three, scale=2.0))
        assert error.cause.kind == "unknown"
        assert "another configuration" in str(error)


@needs_keys
def test_a_recorded_specialization_goes_before_what_the_cache_tells():
    step, _ = make()
    step(three)
    with whyjit.record(calls=False):
        step(four)
        with whyjit.frozen():
            error = refused(lambda: step(five))
    assert "f32[4] to f32[5] (compared with specialization 1)" in str(error)


def test_cleared_caches_are_named():
    step, _ = make()
    with whyjit.record(calls=False):
        step(three)
        jax.clear_caches()
        with whyjit.frozen():
            error = refused(lambda: step(three))
    # JAX 0.6 keeps the dropped program alive for a while: then there is no evidence, and no claim.
    assert error.cause.kind in {"cleared", "unknown"}


def test_with_warn_the_work_is_done_and_one_warning_names_the_line():
    step, bodies = make()
    with warnings.catch_warnings(record=True) as caught, whyjit.frozen(warn=True):
        warnings.simplefilter("always")
        step(three)
        step(three)
    (warning,) = caught
    assert warning.category is whyjit.FrozenWarning
    assert warning.filename == __file__
    assert bodies == [(3,)]


def test_a_warning_that_is_made_an_error_refuses():
    step, bodies = make()
    with whyjit.frozen(warn=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(whyjit.FrozenWarning):
            step(three)
    assert bodies == []


def test_as_a_decorator_also_of_a_coroutine():
    step, _ = make()

    @whyjit.frozen
    def serve(x):
        return step(x)

    @whyjit.frozen(warn=False)
    async def answer(x):
        return step(x)

    refused(lambda: serve(three))
    step(three)
    serve(three)
    asyncio.run(answer(three))
    refused(lambda: asyncio.run(answer(four)))
    step(four)


def test_the_error_can_be_sent_to_another_process():
    step, _ = make()
    with whyjit.frozen():
        error = refused(lambda: step(three))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (str(again), again.cause, again.call_site) == (str(error), error.cause, error.call_site)


def test_frozen_blocks_nest_and_overlap():
    step, _ = make()
    outer, inner = whyjit.frozen(), whyjit.frozen()
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    refused(lambda: step(three))
    inner.__exit__(None, None, None)
    step(three)
    with whyjit.frozen() as again, pytest.raises(whyjit.WhyjitError, match="entered already"):
        again.__enter__()


def test_everything_of_jaxs_is_put_back():
    from jax._src import compiler, pjit

    before = compiler.backend_compile_and_load, pjit._infer_params
    with whyjit.frozen():
        assert compiler.backend_compile_and_load is not before[0]
    assert (compiler.backend_compile_and_load, pjit._infer_params) == before


def test_where_jax_lets_nobody_come_first_frozen_says_so(monkeypatch):
    monkeypatch.setattr(compiles, "replace_compile", lambda _: Missing("the compiler moved"))
    with pytest.raises(whyjit.WhyjitError, match="the compiler moved"):
        whyjit.frozen().__enter__()
    step, _ = make()
    step(three)


def test_where_the_mark_of_a_trace_is_missing_frozen_says_so(monkeypatch):
    monkeypatch.setattr(doors, "replace_trace_mark", lambda _mark: Missing("no mark"))
    with pytest.raises(whyjit.WhyjitError, match="no mark"), whyjit.frozen():
        pass
