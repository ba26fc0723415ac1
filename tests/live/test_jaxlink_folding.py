"""Programs in one graph: equal exactly if they compute the same, whatever their names and order."""

import numpy as np
import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
from jax import lax

from whyjit.jaxlink.folding import put
from whyjit.jaxlink.nodes import Graph

X = jnp.linspace(0.1, 3.0, 7)


def compared(static, value, dynamic=None):
    """How the program with a known input compares with the one staged with the value: equal, constants, different."""
    graph = Graph()
    left = put(graph, jax.make_jaxpr(lambda x: static(x, value))(X), {})
    right = put(graph, jax.make_jaxpr(lambda s, x: (dynamic or static)(x, s))(value, X), {0: value})
    if left.roots == right.roots:
        return "equal"
    return "constants" if [*map(graph.shape, left.roots)] == [*map(graph.shape, right.roots)] else "different"


def test_names_order_dead_and_repeated_equations_make_no_difference():
    def one(x, s):
        a, b = jnp.sin(x), jnp.cos(x)
        jnp.tan(x)
        return a * s + b

    def other(x, s):
        b, a = jnp.cos(x), jnp.sin(x)
        return jnp.sin(x) * s + b if a is not None else a

    assert compared(one, 0.5, other) == "equal"


@pytest.mark.parametrize(
    "other",
    [
        lambda x, s: jnp.sin(x) * s + 1.5,
        lambda x, s: jnp.sin(x) * (s + 1e-7) + 1,
    ],
)
def test_other_constants_are_other_programs_of_the_same_shape(other):
    assert compared(lambda x, s: jnp.sin(x) * s + 1, 0.5, other) == "constants"


@pytest.mark.parametrize(
    "other",
    [
        lambda x, s: jnp.cos(x) * s + 1,
        lambda x, s: jnp.sin(x) * s,
        lambda x, s: (jnp.sin(x) * s + 1).astype(jnp.bfloat16),
        lambda x, s: jnp.sin(x)[::-1] * s + 1,
    ],
)
def test_other_operations_parameters_and_types_are_other_programs(other):
    assert compared(lambda x, s: jnp.sin(x) * s + 1, 0.5, other) == "different"


def test_operands_are_not_exchanged():
    assert compared(lambda x, s: x - jnp.sin(x) * s, 0.5, lambda x, s: jnp.sin(x) * s - x) == "different"


def test_the_sign_of_zero_and_a_not_a_number_are_told_apart_and_recognised():
    assert compared(lambda x, s: x * s, -0.0, lambda x, s: x * (s + 0.0)) == "constants"
    assert compared(lambda x, s: x * s, float("nan")) == "equal"


def test_a_scan_whose_body_differs_is_another_one():
    def loop(body):
        return lambda x, s: lax.scan(lambda c, v: (body(c, v, s), c), 0.0, x)

    assert compared(loop(lambda c, v, s: c + v * s), 0.5) == "equal"
    assert compared(loop(lambda c, v, s: c + v * s), 0.5, loop(lambda c, v, s: c - v * s)) == "different"
    assert compared(loop(lambda c, v, s: c + v * s), 0.5, loop(lambda c, v, s: c + v * (s * s))) == "constants"


def test_a_carried_value_is_not_taken_for_a_known_one():
    def static(x, s):
        return lax.while_loop(lambda c: c[1] < 3, lambda c: (c[0] * s, c[1] + 1), (x, 0))

    def carried(x, s):
        return lax.while_loop(lambda c: c[1] < 3, lambda c: (c[0] * c[2], c[1] + 1, c[2] + 0.0), (x, 0, s))[:2]

    assert compared(static, 0.5) == "equal"
    assert compared(static, 0.5, carried) == "different"


def test_both_branches_of_a_cond_are_compared():
    def branch(other):
        return lambda x, s: lax.cond(x.sum() > 0, lambda v: v * s, other, x)

    assert compared(branch(jnp.cos), 0.5) == "equal"
    assert compared(branch(jnp.cos), 0.5, branch(jnp.tan)) == "different"


def test_effects_keep_their_order():
    def shown(first, second):
        def f(x, s):
            jax.debug.callback(print, first(x) * s)
            jax.debug.callback(print, second(x) * s)
            return x

        return f

    assert compared(shown(jnp.sin, jnp.cos), 0.5, shown(jnp.cos, jnp.sin)) == "different"


def test_large_arrays_are_compared_by_content():
    first, second = np.arange(1000.0), np.arange(1000.0)
    second[7] = 1.0

    def table(values):
        return lambda x, s: x * s + jnp.asarray(values, jnp.float32)[:7]

    assert compared(table(first), 0.5, table(first.copy())) == "equal"
    assert compared(table(first), 0.5, table(second)) != "equal"


def test_a_value_that_does_not_fit_is_refused():
    program = jax.make_jaxpr(lambda s, x: x * s)(3, X)
    with pytest.raises(OverflowError):
        put(Graph(), program, {0: 2**40})
