"""The probe: it sees every tracer error once, changes nothing, keeps nothing, and is gone when it is removed."""

from __future__ import annotations

import contextlib
import gc
import linecache
import threading
import time
import traceback
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from failing import fail, load, watching
from jax import errors

from whyjit.explaining import explain, explain_exception
from whyjit.observe.failures import DoorCall, FailureProbe


def branch(x):
    if x > 0:
        return x
    return -x


def raised_by(function, *args):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whichever it is
        function(*args)
    return caught.value


def test_removing_puts_everything_back():
    from jax._src import traceback_util

    names = ("TracerBoolConversionError", "ConcretizationTypeError", "UnexpectedTracerError")
    before = [vars(getattr(errors, name)).get("__init__") for name in names]
    reraiser = traceback_util._is_under_reraiser
    with watching():
        assert traceback_util._is_under_reraiser is not reraiser
    assert traceback_util._is_under_reraiser is reraiser
    assert [vars(getattr(errors, name)).get("__init__") for name in names] == before


def test_two_probes_see_the_same_error_and_leave_in_any_order():
    first, second = [], []
    judge = lambda scene: scene.error  # noqa: E731
    one, two = FailureProbe(first.append, judge), FailureProbe(second.append, judge)
    one.install()
    two.install()
    raised_by(jax.jit(branch), 1.0)
    assert len(first) + len(second) == 1  # the exception is explained once, and carries the answer
    one.remove()
    two.remove()
    raised_by(jax.jit(branch), 2)
    assert len(first) + len(second) == 1


def test_the_exception_and_its_traceback_stay_as_they_are():
    def text():
        raised = raised_by(jax.jit(branch), 1.0)
        return [line for line in traceback.format_exception(raised) if "whyjit" not in line]

    bare = text()
    with watching() as seen:
        watched = text()
    assert watched == bare
    assert len(seen.failures) == 1


def test_caught_errors_are_seen():
    with watching() as seen:
        for function, value in (
            (jax.jit(branch), 1.0),
            (jax.vmap(branch), jnp.ones(2)),
            (lambda v: jax.lax.scan(lambda c, _: (branch(c), None), v, None, length=2), 1.0),
            (lambda v: jax.lax.scan(lambda c, _: (c * 1.5, None), v, None, length=2), jnp.int32(1)),
            (jax.jit(jnp.zeros), 3),
            (jax.jit(lambda how: how), "sum"),
        ):
            raised_by(function, value)
    assert [failure.code for failure in seen.failures] == [
        *("branch-on-value", "branch-on-value", "branch-on-value"),
        *("carry-mismatch", "shape-from-value", "non-array-argument"),
    ]


def test_a_leak_that_is_caught_outside_any_function_of_jax():
    kept = []

    @jax.jit
    def keep(x):
        kept.append(x * 2)
        return x

    with watching() as seen:
        keep(1.0)
        raised_by(bool, kept[0])
        raised_by(np.asarray, kept[0])
    assert [failure.code for failure in seen.failures] == ["tracer-leak", "tracer-leak"]
    assert seen.failures[0].leak.stored == "kept"


def test_an_error_handled_while_tracing_is_no_failure():
    @jax.jit
    def careful(x):
        try:
            return int(x)
        except errors.ConcretizationTypeError:
            return x

    with watching() as seen:
        careful(1.0)
    assert seen.failures == []


def test_the_same_exception_is_seen_once_through_nested_functions():
    inner = jax.jit(branch)
    with watching() as seen:
        raised_by(jax.jit(lambda x: jax.jit(lambda y: inner(y * 2))(x + 1)), 1.0)
    assert len(seen.failures) == 1


def test_the_door_tells_of_nested_calls_that_the_program_handles():
    failures = []
    probe = FailureProbe(failures.append, lambda scene: scene.error)
    raised = raised_by(jax.jit(branch), 1.0)
    probe.door_raised(raised, DoorCall(branch, (1.0,), {}, top_level=False))
    probe.door_raised(raised, DoorCall(branch, (1.0,), {}))
    assert failures == ["TracerBoolConversionError"]


def test_a_fault_inside_whyjit_is_told_and_does_not_reach_the_user():
    faults = []

    def broken(scene):
        raise KeyError(scene.error)

    probe = FailureProbe(lambda failure: None, broken, faults.append)
    probe.install()
    try:
        raised = raised_by(jax.jit(branch), 1.0)
    finally:
        probe.remove()
    assert type(raised) is errors.TracerBoolConversionError
    assert [type(fault) for fault in faults] == [KeyError]


def test_nothing_is_kept_alive():
    made = []

    def program():
        big = np.ones(1000)
        made.append(weakref.ref(big))

        def step(x):
            y = x * 2 + big.sum()
            made.append(weakref.ref(y))
            made.append(weakref.ref(y._trace))
            if y > 0:
                return y
            return -y

        made.append(weakref.ref(step))
        with contextlib.suppress(errors.TracerBoolConversionError):
            jax.jit(step)(1.0)

    with watching() as seen:
        program()
        jax.clear_caches()
        gc.collect()
        assert len(made) == 4
        assert [ref() for ref in made] == [None] * 4
    assert seen.failures[0].code == "branch-on-value"


def test_a_kept_exception_holds_no_more_than_without_the_probe():
    def kept_alive(raised):
        gc.collect()
        return sorted(type(one).__name__ for name, one in vars(raised).items() if name != "__notes__")

    with watching():
        raised = raised_by(jax.jit(branch), 1.0)
        assert kept_alive(raised) == ["Failure"]


def test_threads_have_errors_of_their_own():
    with watching() as seen:
        threads = [threading.Thread(target=raised_by, args=(jax.jit(lambda x: branch(x * 2)), 1.0)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [failure.arguments for failure in seen.failures] == [("x",)] * 4


CHAIN = """
import jax
import jax.numpy as jnp

@jax.jit
def f(x, y):
    for _ in range(3000):
        x = jnp.sin(x) + y
    if x > 0:
        return x
    return -x

f(1.0, 2.0)
"""


def test_a_long_chain_is_explained_faster_than_it_is_traced():
    took, both = [], []
    from whyjit.analyse.failure import judge as real

    def timed(scene):
        start = time.thread_time()
        answer = real(scene)
        took.append(time.thread_time() - start)
        return answer

    failures = []
    probe = FailureProbe(failures.append, timed)
    probe.install()
    try:
        for attempt in range(3):
            start = time.thread_time()
            fail(CHAIN + "\n".join(f"unused_{n} = {n}" for n in range(1000)), f"chain-{attempt}")
            both.append(time.thread_time() - start)
    finally:
        probe.remove()
    assert failures[0].arguments == ("x", "y")
    assert failures[0].operations > 6000
    assert len(failures[0].chain) <= 24
    assert min(took) < min(both) / 2


def test_explain_without_a_recording_says_so():
    raised = raised_by(jax.jit(branch), 1.0)
    explanation = explain(raised)
    assert explanation.failure.arguments == ("x",)
    assert "no recording was active" in explanation.text
    assert str(explanation) == explanation.text


@pytest.mark.parametrize("mode", ["off", "tracebackhide", "remove_frames", "quiet_remove_frames"])
def test_every_way_of_filtering_tracebacks(mode):
    from jax._src import config

    with config.traceback_filtering(mode):
        with watching() as seen:
            raised_by(jax.jit(lambda a: jax.jit(branch)(a * 2)), 1.0)
        alone = explain_exception(raised_by(jax.jit(lambda b: jax.jit(branch)(b * 2)), 1.0))
    assert seen.failures[0].arguments == ("a",)
    assert alone.arguments == ("b",)
    assert (alone.expression, alone.function) == ("x > 0", "branch")


def test_source_that_is_gone_is_said():
    space = load("def gone(v):\n    if v > 0:\n        return v\n    return -v\n", "gone")
    linecache.cache.pop("/nowhere/gone.py")
    with watching() as seen:
        raised_by(jax.jit(space["gone"]), 1.0)
    [failure] = seen.failures
    assert (failure.expression, failure.columns, failure.line) == ("", None, 2)
    assert failure.arguments == ("v",)
    assert "the source of /nowhere/gone.py cannot be read" in failure.notes
