"""`whyjit.record()`: what it holds, nested, at once in several threads, as a decorator, and on disk."""

import asyncio
import inspect
import os
import sys
import threading

import jax
import jax.numpy as jnp
import pytest

import whyjit

pytestmark = pytest.mark.live


def make():
    """A jitted function of its own, with the count of its body's runs."""
    bodies = []

    @jax.jit
    def step(x):
        bodies.append(1)
        return x * 2

    return step, bodies


def counts(recorded, name="step"):
    """Calls, traces and compiles of the user's functions of that name."""
    found = [function for function in recorded.report()["functions"] if function["name"] == name]
    return tuple(sum(function[key] for function in found) for key in ("calls", "traces", "compiles"))


def test_a_block_is_recorded_and_nothing_before_or_after():
    step, bodies = make()
    x, y = jnp.ones(3), jnp.ones(4)
    step(x)
    with whyjit.record() as recorded:
        step(x)
        step(y)
        step(y)
    step(jnp.ones(5))
    assert counts(recorded) == (3, 1, 1)
    assert sum(bodies) == 3


def test_it_can_be_read_while_it_goes_on():
    step, _ = make()
    x = jnp.ones(3)
    with whyjit.record() as recorded:
        assert counts(recorded) == (0, 0, 0)
        step(x)
        assert counts(recorded) == (1, 1, 1)
        step(x)
    assert counts(recorded) == (2, 1, 1)
    assert counts(recorded) == (2, 1, 1)


def test_the_three_views_are_of_one_recording():
    step, _ = make()
    with whyjit.record() as recorded:
        step(jnp.ones(3))
    assert "step" in [function.name for function in recorded.recording().functions]
    assert "step" in [function.function.name for function in recorded.explained().functions]
    assert recorded.report()["format"] == "whyjit"
    assert recorded.path is None


def test_an_exception_passes_and_ends_the_recording():
    step, _ = make()
    with pytest.raises(ZeroDivisionError), whyjit.record() as recorded:  # noqa: PT012 - the block is what is tested
        step(jnp.ones(3))
        1 / 0  # noqa: B018
    step(jnp.ones(4))
    assert counts(recorded) == (1, 1, 1)


def test_nested_recordings_hold_their_own_part():
    step, _ = make()
    a, b, c = jnp.ones(3), jnp.ones(4), jnp.ones(5)
    with whyjit.record() as outer:
        step(a)
        with whyjit.record() as inner:
            step(a)
            step(b)
        step(c)
    assert counts(inner) == (2, 1, 1)
    assert counts(outer) == (4, 3, 3)


def test_recordings_may_overlap():
    step, _ = make()
    a, b, c = jnp.ones(3), jnp.ones(4), jnp.ones(5)
    first, second = whyjit.record(), whyjit.record()
    one = first.__enter__()
    step(a)
    two = second.__enter__()
    step(b)
    first.__exit__(None, None, None)
    step(c)
    second.__exit__(None, None, None)
    assert counts(one) == (2, 2, 2)
    assert counts(two) == (2, 2, 2)


def test_recordings_of_several_threads_see_the_whole_process():
    step, _ = make()
    values = [jnp.ones(n) for n in range(1, 5)]
    ready, done = threading.Barrier(4), threading.Barrier(4)
    found = []

    def work(value):
        with whyjit.record() as recorded:
            ready.wait()
            step(value)
            done.wait()
        found.append(counts(recorded))

    threads = [threading.Thread(target=work, args=(value,)) for value in values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(4, 4, 4)] * 4


def test_one_recorder_records_one_thing_at_a_time_but_again_and_again():
    step, _ = make()
    recorder = whyjit.record()
    with recorder as first:
        step(jnp.ones(3))
        with pytest.raises(whyjit.WhyjitError, match="is recording already; make another one"), recorder:
            pass
    with recorder as second:
        step(jnp.ones(4))
    assert counts(first) == counts(second) == (1, 1, 1)


def test_without_calls_hits_are_not_seen():
    step, _ = make()
    x = jnp.ones(3)
    with whyjit.record(calls=False) as recorded:
        for _ in range(5):
            step(x)
    assert counts(recorded)[1:] == (1, 1)
    function = next(function for function in recorded.recording().functions if function.name == "step")
    specs = [spec for spec in recorded.recording().specializations if spec.function == function.id]
    assert [spec.misses for spec in specs] == [1]


def test_a_decorated_function_is_recorded_at_each_call():
    step, _ = make()

    @whyjit.record()
    def train(n: int, *, more: bool = False) -> float:
        """Train."""
        return float(step(jnp.ones(n)).sum()) + more

    assert train(3, more=True) == 7.0
    first = train.recorded
    assert train(3) == 6.0
    assert counts(first) == (1, 1, 1)
    assert counts(train.recorded) == (1, 0, 0)
    assert (train.__name__, train.__doc__) == ("train", "Train.")
    assert "more" in inspect.signature(train).parameters


def test_a_decorator_needs_no_parentheses():
    step, _ = make()

    @whyjit.record
    def train():
        step(jnp.ones(3))

    train()
    assert counts(train.recorded) == (1, 1, 1)


def test_a_decorated_function_may_call_itself():
    step, _ = make()

    @whyjit.record()
    def train(n):
        step(jnp.ones(n))
        if n > 1:
            train(n - 1)

    train(3)
    assert counts(train.recorded)[0] == 1


def test_a_coroutine_is_recorded_until_it_is_done():
    step, _ = make()

    @whyjit.record()
    async def train(n):
        await asyncio.sleep(0)
        return float(step(jnp.ones(n)).sum())

    assert asyncio.run(train(3)) == 6.0
    assert counts(train.recorded) == (1, 1, 1)


def test_a_recording_is_stored_where_out_says(tmp_path):
    step, _ = make()
    x = jnp.ones(3)
    with whyjit.record(out=tmp_path / "runs") as recorded:
        step(x)
        step(x)
    assert recorded.path.parent == tmp_path / "runs"
    assert counts(recorded) == (2, 1, 1)
    stored = whyjit.load(recorded.path).recording()
    assert stored.complete
    assert stored == whyjit.load(str(tmp_path / "runs")).recording()
    assert stored.specializations == recorded.recording().specializations
    from whyjit.store import reader

    function = next(function for function in stored.functions if function.name == "step")
    assert [row.event for row in reader.rows(recorded.path, function.id)] == ["new", "hit"]


def test_out_that_cannot_be_written_is_an_error_before_anything_is_recorded(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(whyjit.WhyjitError, match="cannot make a folder for the recording"),
        whyjit.record(tmp_path / "file"),
    ):
        pass


def test_a_missing_jax_is_said_in_a_sentence(monkeypatch):
    from whyjit.jaxlink import environment
    from whyjit.jaxlink.missing import Missing

    monkeypatch.setattr(environment, "supported", lambda: Missing("JAX is not installed in this Python"))
    with pytest.raises(whyjit.WhyjitError, match=r"JAX is not installed in this Python; whyjit needs JAX 0\.6"):
        whyjit.record().__enter__()


def test_afterwards_everything_is_as_before():
    from jax._src import pjit
    from jax._src.interpreters.partial_eval import DynamicJaxprTrace

    def state():
        return pjit._infer_params, DynamicJaxprTrace.__init__

    before, threads = state(), set(threading.enumerate())
    step, _ = make()
    with whyjit.record(), whyjit.record():
        step(jnp.ones(3))
    assert state() == before
    assert set(threading.enumerate()) <= threads


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_leaves_the_parents_file_alone(tmp_path):
    step, _ = make()
    x = jnp.ones(3)
    with whyjit.record(out=tmp_path) as recorded:
        step(x)
        child = os.fork()
        if child == 0:
            # As if the child ran to the end of the block.
            try:
                recorded._observer.stop()
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        step(x)
    stored = whyjit.load(recorded.path).recording()
    assert stored.complete
    assert counts(recorded) == (2, 1, 1)
    assert sys.modules["whyjit"] is whyjit
