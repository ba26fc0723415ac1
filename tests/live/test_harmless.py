"""The observer causes nothing, keeps nothing, and leaves everything as it was."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import api, monitoring, pjit
from jax._src.interpreters.partial_eval import DynamicJaxprTrace, JaxprStackFrame

import whyjit


class Big:
    """A static value that can be watched for being kept alive."""

    def __init__(self):
        self.size = 3


def test_nothing_of_the_program_is_kept():
    x = jnp.ones(3)
    table = jnp.arange(4.0)
    big = Big()

    def scale(v, how):
        return v * how.size + table[:3]  # noqa: F821 - deleted below, after the calls

    jitted = jax.jit(scale, static_argnums=1)
    with whyjit.record() as recording:
        jitted(x, big)
        jitted(x, big)
    references = [weakref.ref(thing) for thing in (x, table, big, scale, jitted)]
    jitted.clear_cache()
    jax.clear_caches()
    del x, table, big, scale, jitted
    gc.collect()
    assert [reference() for reference in references] == [None] * 5
    assert recording.report()["totals"]["traces"] >= 1


def test_a_leaked_tracer_is_not_kept():
    held = []

    @jax.jit
    def leak(x):
        held.append(weakref.ref(x))
        return x * 2

    with whyjit.record():
        leak(jnp.ones(3))
    gc.collect()
    assert held[0]() is None


def test_everything_is_as_before():
    def look():
        hook = getattr(api, "_post_hook_state", None)
        return (
            pjit._infer_params,
            DynamicJaxprTrace.__init__,
            JaxprStackFrame.to_jaxpr,
            hook,
            None if hook is None else (hook.get_global(), hook.value),
            api.jax_jit,
            list(monitoring.get_event_duration_listeners()),
            list(monitoring.get_event_listeners()),
            jax.errors.TracerBoolConversionError.__init__,
            jax.errors.ConcretizationTypeError.__init__,
        )

    jnp.var(jnp.ones(3))
    before = look()
    with whyjit.record(), whyjit.record():
        jax.jit(lambda x: x + 1)(jnp.ones(3))
        assert look() != before
    assert look() == before


def test_records_nest_and_see_only_their_own_time():
    double = jax.jit(lambda x: x * 2)
    with whyjit.record() as outer:
        double(jnp.ones(3))
        with whyjit.record() as inner:
            double(jnp.ones(3))
            double(jnp.ones(4))
        double(jnp.ones(5))
    seen = [next(f for f in r.report()["functions"] if f["origin"] == "user") for r in (outer, inner)]
    assert [(f["calls"], f["traces"]) for f in seen] == [(4, 3), (2, 1)]


def test_programs_are_the_same_to_the_letter():
    def program(x):
        @jax.jit
        def inner(y):
            return jnp.tanh(y) @ y

        return inner(x) + jax.nn.relu(x).sum()

    x = jnp.ones((3, 3))
    plain = (
        jax.jit(program).lower(x).as_text(debug_info=True)
        if _takes_debug_info()
        else jax.jit(program).lower(x).as_text()
    )
    jax.clear_caches()
    with whyjit.record():
        observed = (
            jax.jit(program).lower(x).as_text(debug_info=True)
            if _takes_debug_info()
            else jax.jit(program).lower(x).as_text()
        )
    assert observed.replace("observed", "plain") == plain.replace("observed", "plain") or _without_lines(
        observed
    ) == _without_lines(plain)
    assert "whyjit/observe" not in observed
    assert "whyjit/jaxlink" not in observed


def _takes_debug_info():
    import inspect

    return "debug_info" in inspect.signature(jax.stages.Lowered.as_text).parameters


def _without_lines(text):
    return [line for line in text.splitlines() if not line.lstrip().startswith(("#loc", "module"))]


PROGRAM = textwrap.dedent(
    """
    import sys
    import jax, jax.numpy as jnp, numpy as np
    {before}
    runs = []
    @jax.jit
    def step(x, y):
        runs.append(1)
        return jnp.std(x) + y
    for size in (3, 3, 4, 3):
        step(np.ones(size, np.float32), 2.0)
        jax.lax.scan(lambda c, v: (c + v, c), 0.0, jnp.ones(size))
    {after}
    print(len(runs), sorted(name for name in sys.modules if name.split(".")[0] in ("jax", "jaxlib")))
    """
)


def test_no_module_of_jax_is_imported_that_the_program_does_not_import():
    """Importing some of them registers configuration states, which changes the keys of all caches."""

    def run(before, after):
        source = PROGRAM.format(before=before, after=after)
        done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
        return done.stdout

    watched = run(
        "import whyjit; r = whyjit.record(); seen = r.__enter__()", "r.__exit__(None, None, None); seen.report()"
    )
    assert watched == run("", "")


def test_a_fault_of_whyjits_own_is_a_gap_and_the_program_runs_on(monkeypatch):
    from whyjit.observe import signatures

    def broken(*_):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(signatures, "build", broken)
    with whyjit.record() as recording:
        assert float(jax.jit(lambda x: x + 1)(np.float32(1))) == 2.0
    assert any("broken on purpose" in gap["reason"] for gap in recording.report()["gaps"])


class Hostile:
    """A static value whose methods do what no value should."""

    def __init__(self, log):
        self.log = log

    def __repr__(self):
        self.log.append("repr")
        raise RuntimeError("no repr")

    def __getattr__(self, name):
        raise RuntimeError(name)


def test_the_users_own_methods_are_not_called():
    log = []
    jitted = jax.jit(lambda x, how: x, static_argnums=1)
    with whyjit.record() as recording:
        jitted(1.0, Hostile(log))
        jitted(1.0, Hostile(log))
    assert log == []
    found = next(f for f in recording.report()["functions"] if f["origin"] == "user")
    assert [s["cause"]["kind"] for s in found["specializations"]] == ["first", "static_identity"]


def test_the_users_exception_is_untouched():
    @jax.jit
    def bad(x):
        raise ValueError("mine")

    with whyjit.record(), pytest.raises(ValueError, match="mine") as caught:
        bad(jnp.ones(3))
    assert caught.value.args == ("mine",)
    files = [entry.path.as_posix() for entry in caught.traceback]
    assert not [name for name in files if "whyjit/observe" in str(name)]


def test_outputs_and_donation_are_the_same():
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    with whyjit.record():
        x = jnp.zeros(3)
        for _ in range(5):
            x = step(x)
    assert x.tolist() == [5.0, 5.0, 5.0]


def test_a_jitted_function_is_handed_to_another_process_as_before():
    cloudpickle = pytest.importorskip("cloudpickle")

    @jax.jit
    def double(x):
        return x * 2

    x = jnp.ones(3)
    double(x)
    plain = cloudpickle.dumps(double)
    with whyjit.record(), whyjit.frozen():
        double(x)
        recorded = cloudpickle.dumps(double)
    assert b"whyjit" not in recorded.replace(b"test_harmless", b"")
    assert len(recorded) == len(plain)
    assert cloudpickle.loads(recorded)(x).tolist() == [2.0, 2.0, 2.0]
