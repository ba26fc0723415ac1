"""Random functions of a vector and a scalar: where both programs are one in the graph, they give the same bits."""

import numpy as np
import pytest

pytest.importorskip("jax")
pytest.importorskip("hypothesis")

import hypothesis
import jax
import jax.numpy as jnp
from hypothesis import strategies as st

from whyjit.jaxlink.folding import put
from whyjit.jaxlink.nodes import Graph

X = jnp.linspace(0.1, 3.0, 7)
SCALARS = ["s", "(s + 1)", "(1 - s)", "s * s", "(s // 2)", "s % 3", "s / 7", "s * (s + 1)", "-s", "(s + 0.1) * 3"]
VECTORS = ["{x} * {s}", "{x} + {s}", "{x} / ({s} + 2)", "jnp.where({x} > {s}, {x}, -{x})", "jnp.maximum({x}, {s})"]
VALUES = st.one_of(
    st.integers(-(2**31) + 2, 2**31 - 2),
    st.floats(-1e20, 1e20, allow_subnormal=False),
    st.sampled_from([0.0, -0.0, 1, 50000, 1 - 1e-8, 1e-30]),
)


@pytest.mark.filterwarnings("ignore:.* encountered in .*:RuntimeWarning")  # a value that the type cannot hold
@hypothesis.settings(max_examples=20, deadline=None, derandomize=True)
@hypothesis.given(
    parts=st.lists(st.tuples(st.sampled_from(VECTORS), st.sampled_from(SCALARS)), min_size=1, max_size=2), value=VALUES
)
def test_equal_programs_give_equal_bits_operation_by_operation(parts, value):
    """Run one operation after the other, so that no compiler comes between the programs and their results."""
    body = "x"
    for vector, scalar in parts:
        body = f"({vector.format(x=body, s=scalar)})"
    function = eval(f"lambda x, s: {body}", {"jnp": jnp})  # noqa: S307 - made above
    try:
        left = jax.make_jaxpr(lambda x: function(x, value))(X)
        right = jax.make_jaxpr(lambda s, x: function(x, s))(value, X)
    except (OverflowError, ZeroDivisionError):
        return
    graph = Graph()
    if put(graph, left, {}).roots != put(graph, right, {0: value}).roots:
        return
    old = jax.core.eval_jaxpr(left.jaxpr, left.consts, X)
    new = jax.core.eval_jaxpr(right.jaxpr, right.consts, jnp.asarray(value, right.in_avals[0].dtype), X)
    assert np.asarray(old[0]).tobytes() == np.asarray(new[0]).tobytes(), body
