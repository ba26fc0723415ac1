"""`whyjit.bucketed` against the function itself: same results, and as many traces and compiles as there are buckets."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from truth import truth

import whyjit

W = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4)


def rows(n, seed=0):
    return np.random.default_rng(seed + n).normal(size=(n, 4)).astype(np.float32)


def counting(body):
    """The function jitted, and a list that grows when its body runs."""
    ran = []

    @functools.wraps(body)
    def counted(*args, **kwargs):
        ran.append(1)
        return body(*args, **kwargs)

    return jax.jit(counted), ran


def test_results_are_those_of_the_function_with_a_compile_for_each_bucket():
    def body(x, w):
        return {"each": jnp.tanh(x @ w), "more": jnp.concatenate([x[:1], x]), "none": w.sum()}

    plain, _ = counting(body)
    jitted, ran = counting(body)
    padded = whyjit.bucketed(jitted, axis={"x": 0}, sizes=(8, 16))
    with truth() as seen:
        found = [padded(rows(n), W) for n in range(1, 17)]
    assert len(ran) == 3  # of which one told how the outputs' sizes follow from the input's
    assert seen.compiles["body"] == 2
    assert seen.compiles.total() == 2, seen.compiles  # neither padding nor cropping is compiled
    for n, result in zip(range(1, 17), found, strict=True):
        jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-6), result, plain(rows(n), W))
        assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(result))


def test_one_trace_more_tells_the_outputs_axes():
    jitted, ran = counting(lambda x: x * 2)
    padded = whyjit.bucketed(jitted, axis=0, sizes=[8])
    assert [padded(rows(n)).shape for n in (3, 8, 5, 3)] == [(3, 4), (8, 4), (5, 4), (3, 4)]
    assert len(ran) == 2


def test_an_integer_axis_means_all_arrays_that_have_it():
    padded = whyjit.bucketed(jax.jit(lambda b, s: (b["x"] * s, b["y"][0])), axis=1, sizes=(8,))
    first, second = padded({"x": np.ones((2, 5)), "y": (np.ones((3, 5)), np.float32(1))}, 2.0)
    assert (first.shape, second.shape) == ((2, 5), (3, 5))


def test_axes_by_leaf_path_and_several_of_one_array():
    padded = whyjit.bucketed(
        jax.jit(lambda b, m: (m @ b["x"], b["w"])), axis={"b['x']": 0, "m": (0, 1)}, sizes=(8,), fill={"m": 0, "b": 7}
    )
    x, m = rows(5), np.tril(np.ones((5, 5), np.float32))
    product, w = padded({"x": x, "w": W}, m)
    np.testing.assert_allclose(product, m @ x, rtol=1e-5)
    assert w.shape == (4, 4)


def test_static_arguments_keep_rules_of_their_own():
    @functools.partial(whyjit.bucketed, axis={"x": 0}, sizes=(8, 16))
    @functools.partial(jax.jit, static_argnames="kind")
    def f(x, kind):
        return x if kind == "all" else x[0]

    assert f(rows(5), "all").shape == (5, 4)
    assert f(rows(5), kind="one").shape == (4,)
    assert f(rows(6), "all").shape == (6, 4)


def test_it_differentiates_and_maps_as_the_function_does():
    jitted = jax.jit(lambda x, w: jnp.tanh(x @ w))
    padded = whyjit.bucketed(jitted, axis={"x": 0}, sizes=(8,))
    x = rows(5)
    for number in (0, 1):
        mine = jax.grad(lambda *a: (padded(*a) ** 2).sum(), number)(x, W)
        np.testing.assert_allclose(mine, jax.grad(lambda *a: (jitted(*a) ** 2).sum(), number)(x, W), rtol=1e-4)
    batch = np.stack([x, -x])
    np.testing.assert_allclose(jax.vmap(padded, (0, None))(batch, W), jax.vmap(jitted, (0, None))(batch, W), rtol=1e-5)
    np.testing.assert_allclose(jax.jit(padded)(x, W), jitted(x, W), rtol=1e-5)


def test_it_is_a_decorator_of_methods_and_keeps_what_it_wraps():
    class Model:
        @functools.partial(whyjit.bucketed, axis={"x": 0}, sizes=(8,))
        @functools.partial(jax.jit, static_argnums=0)
        def step(self, x):
            """Twice."""
            return x * 2

    assert Model().step(rows(3)).shape == (3, 4)
    assert Model.step.__doc__ == "Twice."
    assert Model.step.__wrapped__.lower(Model(), rows(3)) is not None
    assert Model.step.sizes == (8,)


def test_what_an_array_is_stays_so():
    seen = []
    padded = whyjit.bucketed(lambda x: seen.append(x) or x, axis=0, sizes=(8,))
    device = jax.devices()[0]
    padded(jax.device_put(rows(3), device))
    padded(jnp.asarray(rows(3)))
    padded(rows(3))
    padded(jnp.arange(3, dtype=jnp.bfloat16))
    assert [type(x).__name__ for x in seen if not isinstance(x, jax.core.Tracer)][:2] == ["ArrayImpl", "ArrayImpl"]
    concrete = [x for x in seen if not isinstance(x, jax.core.Tracer)]
    assert [getattr(x, "_committed", None) for x in concrete] == [True, False, None, False]
    assert concrete[-1].dtype == jnp.bfloat16


def test_sizes_above_the_largest():
    jitted, ran = counting(lambda x: x + 1)
    with pytest.raises(whyjit.WhyjitError, match="was called with size 9, above its largest bucket 8; add a larger"):
        whyjit.bucketed(jitted, axis=0, sizes=(4, 8))(rows(9))
    doubling = whyjit.bucketed(jitted, axis=0, sizes=(4, 8), beyond="double")
    assert [doubling(rows(n)).shape[0] for n in (9, 15, 17, 33)] == [9, 15, 17, 33]
    assert len(ran) == 4  # 16, 32 and 64; and 1, from which the outputs' axes were learnt
    exact = whyjit.bucketed(jitted, axis=0, sizes=(4,), beyond="exact")
    assert exact(rows(7)).shape == (7, 4)


def test_crop_can_be_left_to_the_caller():
    padded = whyjit.bucketed(jax.jit(lambda x: x + 1), axis=0, sizes=(8,), crop=False)
    assert padded(rows(3)).shape == (8, 4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: whyjit.bucketed(axis="x", sizes=(1,)), "give an axis as an integer"),
        (lambda: whyjit.bucketed(axis={}, sizes=(1,)), "give an axis as an integer"),
        (lambda: whyjit.bucketed(axis=0, sizes=()), "give one or more sizes"),
        (lambda: whyjit.bucketed(axis=0, sizes=(0, 4)), "each at least 1"),
        (lambda: whyjit.bucketed(axis=0, sizes=(4,), beyond="grow"), "choose from 'error', 'double', 'exact'"),
        (lambda: whyjit.bucketed(lambda x: x, axis={"z": 0}, sizes=(4,)), "has no parameter `z`; it has x"),
        (lambda: whyjit.bucketed(lambda x: x, axis={"x": 3}, sizes=(4,))(rows(3)), "no array to pad in this call"),
        (lambda: whyjit.bucketed(lambda x, y: x, axis=0, sizes=(4,))(rows(3), rows(2)), "axis 0 of `y` has 2"),
        (lambda: whyjit.bucketed(lambda k: k, axis=0, sizes=(4,))(jax.random.split(jax.random.key(0), 3)), "key<fry>"),
        (lambda: whyjit.bucketed(lambda x: x[: len(x) // 2], axis=0, sizes=(8, 11))(rows(5)), "no whole multiple"),
        (lambda: whyjit.bucketed(lambda x: (x,) * len(x), axis=0, sizes=(8,))(rows(5)), "the structure of the result"),
    ],
)
def test_what_makes_no_sense_is_said(make, message):
    with pytest.raises(whyjit.WhyjitError) as raised:
        make()
    assert message in raised.value.message


@pytest.mark.parametrize("body", [lambda x: x[:12], lambda x: x[::2], lambda x: jnp.zeros(max(12, len(x)))])
@pytest.mark.parametrize("sizes", [(16,), (16, 17), (8, 16)])
def test_an_output_that_does_not_grow_evenly_is_refused(body, sizes):
    with pytest.raises(whyjit.WhyjitError, match="output"):
        whyjit.bucketed(jax.jit(body), axis=0, sizes=sizes)(rows(15))


def test_an_output_that_stops_growing_is_noticed():
    padded = whyjit.bucketed(jax.jit(lambda x: x[:12]), axis=0, sizes=(4, 8, 16))
    assert padded(rows(6)).shape == (6, 4)
    with pytest.raises(whyjit.WhyjitError, match="output has shape"):
        padded(rows(15))


def test_sizes_that_the_function_does_not_take_are_passed_over():
    def body(x):
        if x.shape[0] < 3:
            raise ValueError("at least three")
        return x[2:]

    assert whyjit.bucketed(jax.jit(body), axis=0, sizes=(8,))(rows(5)).shape == (3, 4)
    with pytest.raises(whyjit.WhyjitError, match="no whole multiple"):
        whyjit.bucketed(jax.jit(lambda x: body(x)[::2]), axis=0, sizes=(16,))(rows(15))
    assert whyjit.bucketed(jax.jit(jnp.squeeze), axis=0, sizes=(8,))(rows(5)).shape == (5, 4)


def test_a_warm_up_leaves_nothing_to_trace():
    one = whyjit.bucketed(jax.jit(lambda x: x * 2), axis=0, sizes=(8,))
    two = whyjit.bucketed(jax.jit(lambda x: x * 3), axis=0, sizes=(8, 16))
    for function in (one, two):
        for size in function.sizes:
            function.lower(jax.ShapeDtypeStruct((size,), jnp.float32)).compile()
    with whyjit.frozen():
        for n in range(1, 9):
            assert one(np.ones(n)).shape == (n,)
            assert two(np.ones(2 * n, np.float32)).shape == (2 * n,)
