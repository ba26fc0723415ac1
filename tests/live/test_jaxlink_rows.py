"""`vmap` as a loop gives what `vmap` gives, and lets Python decide row by row."""

import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from whyjit.jaxlink.rows import by_rows, looped  # noqa: E402

X = jnp.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    ("function", "args", "options"),
    [
        (lambda x: x * 2, (X,), {}),
        (lambda x, y: x.sum() + y, (X, jnp.arange(3.0)), {}),
        (lambda x, y: x * y, (X, 2.0), {"in_axes": (0, None)}),
        (lambda x, y: x * y, (X, jnp.arange(4.0)), {"in_axes": (1, 0), "out_axes": 1}),
        (lambda x: (x, {"s": x.sum()}), (X,), {"in_axes": -1}),
        (lambda p, x: p["w"] * x + p["b"], ({"w": X, "b": 1.0}, X), {"in_axes": ({"w": 0, "b": None}, 0)}),
        (lambda k: jax.random.normal(k, (2,)), (jax.random.split(jax.random.key(0), 3),), {}),
        (lambda x: jax.vmap(jnp.sin)(x) + 1, (X,), {}),
    ],
)
def test_rows_one_by_one_give_the_same(function, args, options):
    expected, found = jax.vmap(function, **options)(*args), looped(function, **options)(*args)
    assert jax.tree.structure(expected) == jax.tree.structure(found)
    for one, other in zip(jax.tree.leaves(expected), jax.tree.leaves(found), strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        assert jnp.allclose(one, other)


def test_keyword_arguments_are_mapped_over_their_first_axis():
    assert jnp.array_equal(looped(lambda x, y: x * y)(X, y=X), X * X)


def test_python_decides_row_by_row():
    with jax.disable_jit(), by_rows():
        found = jax.vmap(lambda a: a if a > 1 else -a)(jnp.arange(3.0))
    assert found.tolist() == [0.0, -1.0, 2.0]


def test_the_original_is_put_back_and_a_fault_too():
    before = jax.vmap
    with pytest.raises(ZeroDivisionError), by_rows():
        raise ZeroDivisionError
    assert jax.vmap is before


@pytest.mark.parametrize("options", [{"axis_name": "i"}, {"axis_size": 3}])
def test_what_no_loop_can_do_is_refused(options):
    with pytest.raises(NotImplementedError):
        looped(lambda x: x, **options)


def test_different_numbers_of_rows_are_refused():
    with pytest.raises(ValueError, match="different numbers of rows"):
        looped(lambda x, y: x)(X, jnp.arange(2.0))
