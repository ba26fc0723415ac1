"""What comes in the middle of whyjit's own work: finalizers, interrupts, forks, other threads, other tools."""

from __future__ import annotations

import functools
import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref

import jax
import numpy as np
import pytest
from jax._src import cache_key, pjit

import whyjit
from whyjit.observe import attempts, observer, places
from whyjit.observe.calls import Visit
from whyjit.observe.disk import DiskProbe
from whyjit.observe.hits import HitCounter
from whyjit.observe.looks import Describer
from whyjit.observe.observer import Observer

pytestmark = pytest.mark.live

X = np.ones(3, np.float32)
Y = np.ones(4, np.float32)


def run(program):
    """A program in a process of its own, which must not hang."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_a_finalizer_that_calls_a_jitted_function_does_not_lock_up():
    program = """
        import faulthandler, gc
        faulthandler.dump_traceback_later(300, exit=True)
        import jax, jax.numpy as jnp, whyjit
        SCALE = (1, 2, 3, 4, 5, 6, 7, 8)
        f = jax.jit(lambda x: x * SCALE[0] + SCALE[3])
        x = jnp.ones(3)
        class Cycle:
            def __init__(self): self.me = self
            def __del__(self): f(x)
        with whyjit.record() as recorded:
            f(x)
            gc.set_threshold(20)
            for _ in range(500):
                Cycle()
                f(x)
                f(x)
            gc.collect()
        print(max(spec.calls for spec in recorded.recording().specializations))
    """
    assert int(run(program)) == 1501


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "lock",
    ["journal.stale._lock", "journal.stale.twins._lock", "journal.given._lock", "ledger.lock", "_finishing", ""],
)
def test_a_forked_child_waits_for_no_lock_of_another_thread(lock, tmp_path):
    program = f"""
        import faulthandler, operator, os, threading, warnings
        warnings.simplefilter("ignore")
        import jax, jax.numpy as jnp, whyjit
        from whyjit.observe import observer
        SCALE = 3.0
        f = jax.jit(lambda x: x * SCALE)
        x = jnp.ones(3)
        with whyjit.record({str(tmp_path)!r}):
            f(x); f(x)
            lock = operator.attrgetter({lock!r})(observer._probes) if {lock!r} else observer.shared
            held, over = threading.Event(), threading.Event()
            def hold():
                with lock:
                    held.set()
                    over.wait()
            thread = threading.Thread(target=hold)
            thread.start()
            held.wait()
            child = os.fork()
            if not child:
                faulthandler.dump_traceback_later(300, exit=True)
                f(x); f(x); f.trace(2.0)  # a compile would wait for threads that JAX left in the parent
                with whyjit.record() as recorded: f(x)
                os._exit(recorded.report()["totals"]["calls"] != 1)
            _, status = os.waitpid(child, 0)
            over.set()
            thread.join()
        raise SystemExit(os.waitstatus_to_exitcode(status))
    """
    run(program)


def test_an_interrupt_at_the_door_leaves_no_visit_behind():
    def stop_at_the_clock(frame, event, _):
        if frame.f_code is observer._probes.calls.door:
            return interrupt if event == "call" else None
        return None

    def interrupt(frame, event, _):
        if event == "line" and frame.f_locals.get("stack"):
            raise KeyboardInterrupt
        return interrupt

    with whyjit.record():
        before = sys.gettrace()
        sys.settrace(stop_at_the_clock)
        try:
            with pytest.raises(KeyboardInterrupt):
                jax.jit(lambda x: x * 2)(X)
        finally:
            sys.settrace(before)
        assert not observer._probes.calls._thread.open
        assert not observer._probes.calls.tracing


def test_a_hook_that_is_left_in_a_thread_counts_no_more(monkeypatch):
    f, g = jax.jit(lambda x: x + 1), jax.jit(lambda x: x + 2)
    f(X), g(X)
    steps = [threading.Event() for _ in range(2)]
    made = []
    monkeypatch.setattr(
        HitCounter,
        "_hit",
        lambda self, *_: made.append(1),
    )

    def work():
        with jax.debug_nans(False):
            f(X)
        f(X)
        steps[0].set()
        steps[1].wait()
        made.clear()
        g(X), f(X), f(X)

    thread = threading.Thread(target=work)
    with whyjit.record():
        thread.start()
        steps[0].wait()
    steps[1].set()
    thread.join()
    assert made == []


def test_a_door_that_somebody_has_wrapped_watches_no_more_after_the_stop():
    original = pjit._infer_params
    try:
        with whyjit.record():
            ours = pjit._infer_params

            def _infer_params(fun, ji, args, kwargs):
                return ours(fun, ji, args, kwargs)

            pjit._infer_params = _infer_params
            jax.jit(lambda x: x * 2)(X)
        gc.collect()
        before = sum(type(thing) is Visit for thing in gc.get_objects())
        for _ in range(5):
            jax.jit(lambda x: x * 3)(X)
        assert sum(type(thing) is Visit for thing in gc.get_objects()) <= before
    finally:
        pjit._infer_params = original


def test_calls_through_a_wrapped_door_are_counted_and_placed():
    original = pjit._infer_params
    step = jax.jit(lambda x: x * 2)
    try:
        with whyjit.record() as recorded:
            ours = pjit._infer_params
            pjit._infer_params = lambda *given: ours(*given)  # noqa: PLW0108 - a function of the program's own
            for size in (2, 3, 3):
                step(np.ones(size, np.float32))
    finally:
        pjit._infer_params = original
    (function,) = (one for one in recorded.report()["functions"] if one["name"] == "<lambda>")
    assert (function["calls"], function["traces"]) == (3, 2)
    assert {one["call_site"]["file"].rpartition("/")[2] for one in function["specializations"]} == {
        "test_interruptions.py"
    }


def test_code_objects_are_not_kept_after_the_stop():
    names = {}
    text = "K = 2.0\ndef f(x):\n    print(end='')\n    return x * K"
    exec(compile(text, "/nowhere/program.py", "exec"), names)  # noqa: S102 - code that can go again
    code = weakref.ref(names["f"].__code__)
    with whyjit.record():
        jax.jit(names["f"])(X)
    names.clear()
    jax.clear_caches()
    gc.collect()
    assert code() is None


def test_two_observers_are_both_told_of_everything():
    batches = [], []
    first, second = (Observer(each.append) for each in batches)
    first.start(), second.start()
    f, g = jax.jit(lambda x: x + 1), jax.jit(lambda x: x + 2)
    f(X), first.flush(), second.flush()
    g(X), second.flush(), first.flush()
    for _ in range(5):
        f(X)
    first.flush()
    first.stop(), second.stop()
    told = [
        {(spec.function, spec.number): spec.calls for batch in each for spec in batch.specializations}
        for each in batches
    ]
    assert told[0] == told[1]
    assert sorted(told[0].values())[-2:] == [1, 6]


def test_a_recording_inside_another_does_not_silence_its_word():
    said = []
    outer = Observer(lambda _batch: None, say=said.append)
    outer.start()
    with whyjit.record():
        pass
    for at in range(6):
        jax.jit(lambda x: x + 1)(np.float32(at))
    outer.flush()
    outer.stop()
    assert len(said) == 1


def test_a_zero_in_a_static_is_not_looked_for_in_every_call(monkeypatch):
    looks = []
    static = Describer.static
    monkeypatch.setattr(Describer, "static", lambda self, *given: looks.append(1) or static(self, *given))
    f = jax.jit(lambda x, by: x * by[0], static_argnums=1)
    by = (0.0, "a", 3)
    with whyjit.record(calls=True):
        f(X, by), f(Y, by)
        looks.clear()
        for _ in range(100):
            f(X, by)
            f(Y, by)
    assert len(looks) < 50


def test_a_hook_of_the_programs_in_the_cache_key_is_asked_as_often_as_without(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(cache_key, "custom_hook", lambda: asked.append(1) or "of my own")
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    try:
        with whyjit.record() as recorded:
            jax.jit(lambda x: x * 1.25)(X)
    finally:
        jax.config.update("jax_compilation_cache_dir", before)
    (disk,) = [stage.disk for spec in recorded.recording().specializations for stage in spec.stages if stage.disk]
    assert len(asked) == 1
    assert dict(disk.parts)["custom_hook"] == "of my own"


def test_what_was_refused_is_remembered_without_the_programs_hash():
    class Model:
        def __call__(self, x):
            return x

        def __hash__(self):
            raise AssertionError

        __eq__ = None

    model, other = Model(), Model()
    attempts._refused_of(model).add(1)
    assert attempts._refused_of(model) == {1}
    assert attempts._refused_of(other) == set()
    key = id(model)
    del model
    gc.collect()
    assert key not in attempts._refused


def generator():
    yield 1


async def asynchronous():
    yield 1


@pytest.mark.parametrize("function", [generator, asynchronous])
@pytest.mark.parametrize("decorate", [whyjit.record, whyjit.frozen, whyjit.expect(traces=0)])
def test_generators_are_refused_by_decorators(function, decorate):
    with pytest.raises(whyjit.WhyjitError, match="whose body runs after the call"):
        decorate(function)


@pytest.mark.parametrize("decorate", [whyjit.record, whyjit.frozen, whyjit.expect(traces=0)])
def test_classes_are_refused_by_decorators(decorate):
    with pytest.raises(whyjit.WhyjitError, match="for functions, and Thread is a class; decorate the methods"):
        decorate(threading.Thread)


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="a frame's locals are no copy")
def test_the_locals_of_a_library_are_not_kept(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "trainer_of_a_library.py").write_text(
        textwrap.dedent(
            """
            import weakref
            import jax.numpy as jnp

            class Big:
                pass

            class Trainer:
                def __call__(self):
                    big = Big()
                    reference = weakref.ref(big)
                    jnp.arange(17) * jnp.arange(17)
                    del big
                    return reference()
            """
        )
    )
    monkeypatch.syspath_prepend(str(folder))
    import trainer_of_a_library

    jax.clear_caches()
    with whyjit.record():
        assert trainer_of_a_library.Trainer()() is None


def test_the_stand_in_for_texts_goes_again():
    original = cache_key._hash_string
    with whyjit.record():
        assert cache_key._hash_string is not original
    assert cache_key._hash_string is original


def test_a_door_without_a_name_is_replaced_all_the_same(monkeypatch):
    monkeypatch.setattr(pjit, "_infer_params", functools.partial(pjit._infer_params))
    with whyjit.record() as recorded:
        jax.jit(lambda x: x * 2)(X)
    assert recorded.report()["totals"]["calls"] == 1


def test_probes_that_cannot_be_installed_leave_nothing(monkeypatch):
    before = pjit._infer_params

    def broken(_probe):
        raise RuntimeError("the disk probe moved")

    with monkeypatch.context() as patched:
        patched.setattr(DiskProbe, "install", broken)
        with pytest.raises(RuntimeError, match="moved"), whyjit.record():
            pass
    assert pjit._infer_params is before
    with whyjit.record() as recorded:
        jax.jit(lambda x: x * 2)(X)
    assert recorded.report()["totals"]["calls"] == 1


def test_ever_new_code_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(places, "_CODES", 10)
    with whyjit.record() as recorded:
        double = jax.jit(lambda x: x * 2)
        for at in range(40):
            names = {"double": double}
            exec(compile(f"def call(x):\n    return double(x)  # {at}", f"/nowhere/{at}.py", "exec"), names)  # noqa: S102
            names["call"](X)
        assert len(places._user_code) <= 10
        assert len(places._locations) <= 10
    assert recorded.report()["totals"]["calls"] == 40
