"""Tracer errors behind other exceptions: raised from, raised while handling, members of a group."""

from __future__ import annotations

import textwrap

import pytest
from failing import fail, failure, watching

import whyjit
from whyjit.explaining import explain_exception
from whyjit.observe import observer

HEADER = """
import jax
import jax.numpy as jnp
import numpy as np
class ModelError(Exception):
    pass
def branch(x):
    if x > 0:
        return x
    return -x
"""


def explained(body):
    return failure(HEADER + textwrap.dedent(body))


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (
            """
            @jax.jit
            def f(x):
                try:
                    return branch(x)
                except Exception as error:
                    raise ModelError("bad input") from error
            f(1.0)
            """,
            "ModelError was raised from TracerBoolConversionError",
        ),
        (
            """
            @jax.jit
            def f(x):
                try:
                    return branch(x)
                except Exception:
                    raise ModelError("bad input")
            f(1.0)
            """,
            "ModelError was raised on account of TracerBoolConversionError",
        ),
        (
            """
            @jax.jit
            def f(x):
                try:
                    return branch(x)
                except Exception as error:
                    raise ExceptionGroup("all", [ValueError("other"), error])
            f(1.0)
            """,
            "ExceptionGroup was raised on account of TracerBoolConversionError",
        ),
    ],
)
def test_the_error_keeps_its_name_and_place(body, note):
    found = explained(body)
    assert (found.error, found.code) == ("TracerBoolConversionError", "branch-on-value")
    assert (found.function, found.expression, found.arguments) == ("branch", "x > 0", ("x",))
    assert found.notes == (note,)


def test_what_numpy_raises_from_it_is_the_error_that_is_met():
    found = explained(
        """
        @jax.jit
        def f(x):
            out = np.zeros(2)
            out[0] = x
            return out
        f(1.0)
        """
    )
    assert (found.error, found.code, found.expression) == ("ValueError", "numpy-on-tracer", "out[0]")
    assert found.notes == ("ValueError was raised from ConcretizationTypeError",)


def test_what_is_hidden_on_purpose_stays_hidden():
    with watching() as seen:
        raised = fail(
            HEADER
            + textwrap.dedent(
                """
                @jax.jit
                def f(x):
                    try:
                        return branch(x)
                    except Exception:
                        raise ModelError("bad input") from None
                f(1.0)
                """
            ),
            "hidden",
        )
    assert seen.failures == []
    assert explain_exception(raised) is None


def test_what_is_known_already_is_not_recorded_again_at_the_end():
    with whyjit.record() as recording:
        raised = fail(
            HEADER + "try:\n    jax.jit(branch)(1.0)\nexcept Exception:\n    raise ModelError('outer')\n", "known"
        )
        probes = observer.acquire(None, calls=False, redact=False)
        try:
            found = probes.explain_uncaught(raised)
        finally:
            observer.release(probes, calls=False)
        assert (found.error, found.expression) == ("TracerBoolConversionError", "x > 0")
        assert len(recording.report()["failures"]) == 1
