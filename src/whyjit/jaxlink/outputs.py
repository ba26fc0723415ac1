"""What a function returns: the shapes and values of its arrays, how the shapes follow from a size, and cropping."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whyjit.errors import WhyjitError
from whyjit.jaxlink.padding import on_host, placed_like

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@functools.cache
def _jax() -> Any:
    import jax

    return jax


class Output(NamedTuple):
    """One array that a function returns: its path, and its shape."""

    path: str
    shape: tuple[int, ...]


def outputs_of(value: Any) -> list[Output]:
    """The arrays of a result, or of its types, in order. The path of a result that is one array is `output`."""
    pairs, _ = _jax().tree_util.tree_flatten_with_path(value)
    keystr = _jax().tree_util.keystr
    return [Output("output" + keystr(path), tuple(np.shape(leaf))) for path, leaf in pairs]


def abstract_outputs(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Output]:
    """What a function returns for types, found by tracing it. A jitted function keeps the trace for later calls."""
    evaluate = getattr(function, "eval_shape", None)
    if evaluate is not None:
        return outputs_of(evaluate(*args, **kwargs))
    util = _jax().tree_util
    leaves, tree = util.tree_flatten((args, dict(kwargs)))
    numbers = [at for at, leaf in enumerate(leaves) if hasattr(leaf, "shape") and hasattr(leaf, "dtype")]

    def call(arrays: list[Any]) -> Any:
        whole = list(leaves)
        for at, array in zip(numbers, arrays, strict=True):
            whole[at] = array
        positional, named = util.tree_unflatten(tree, whole)
        return function(*positional, **named)

    return outputs_of(_jax().eval_shape(call, [leaves[at] for at in numbers]))


def values_of(result: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays of a result on the host; of random keys, their data."""
    random, dtypes, jnp = _jax().random, _jax().dtypes, _jax().numpy
    found: list[np.ndarray[Any, Any]] = []
    for leaf in _jax().tree_util.tree_leaves(result):
        dtype = getattr(leaf, "dtype", None)
        keys = dtype is not None and jnp.issubdtype(dtype, dtypes.prng_key)
        found.append(np.asarray(random.key_data(leaf) if keys else leaf))
    return found


def plain(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Values in a dtype that NumPy itself knows: the short floats of machine learning become float64."""
    if values.dtype.kind in "biufc":
        return values
    return values.astype(np.float64)


def tolerance(dtype: Any) -> float:
    """The share by which two programs' results of this dtype may differ; 0 for what is exact."""
    jnp = _jax().numpy
    if not jnp.issubdtype(dtype, np.inexact):
        return 0.0
    # About a hundred units in the last place for float32, fewer for shorter types, whose own rounding is coarser.
    return {8: 1e-12, 4: 1e-5, 2: 4 * float(jnp.finfo(dtype).eps)}.get(
        jnp.finfo(dtype).dtype.itemsize, 4 * float(jnp.finfo(dtype).eps)
    )


def largest(dtype: Any) -> float:
    """The largest finite number of a float dtype."""
    return float(_jax().numpy.finfo(dtype).max)


class Rule(NamedTuple):
    """How the shapes of the outputs follow from the size: for each axis of each output, `slope * size + start`."""

    paths: tuple[str, ...]
    shapes: tuple[tuple[tuple[int, int], ...], ...]

    def at(self, size: int) -> list[tuple[int, ...]]:
        """The outputs' shapes at a size."""
        return [tuple(slope * size + start for slope, start in axes) for axes in self.shapes]


class UnevenError(WhyjitError):
    """An axis of an output does not grow evenly with the size."""


def rule_from(first: tuple[int, list[Output]], second: tuple[int, list[Output]]) -> Rule:
    """The rule that two abstract evaluations at two sizes give.

    Raises:
      UnevenError: an axis does not grow evenly with the size.
      WhyjitError: the structure of the result depends on the size.
    """
    (small, fewer), (large, more) = sorted((first, second), key=lambda one: one[0])
    if [(one.path, len(one.shape)) for one in fewer] != [(one.path, len(one.shape)) for one in more]:
        raise WhyjitError(
            f"the structure of the result differs between the sizes {small} and {large}; it cannot be padded"
        )
    shapes: list[tuple[tuple[int, int], ...]] = []
    for one, other in zip(fewer, more, strict=True):
        axes: list[tuple[int, int]] = []
        for axis, (low, high) in enumerate(zip(one.shape, other.shape, strict=True)):
            slope, rest = divmod(high - low, large - small)
            if rest or slope < 0:
                raise UnevenError(
                    f"axis {axis} of {one.path} has {low} entries at size {small} and {high} at {large}: no whole"
                    " multiple of the size, so what belongs to the padding cannot be told"
                )
            axes.append((slope, low - slope * small))
        shapes.append(tuple(axes))
    return Rule(tuple(one.path for one in fewer), tuple(shapes))


def shapes_of(result: Any) -> list[tuple[int, ...]]:
    """The shapes of a result's arrays, in order."""
    return [tuple(np.shape(leaf)) for leaf in _jax().tree_util.tree_leaves(result)]


def crop(result: Any, shapes: Sequence[tuple[int, ...]]) -> Any:
    """A result with each array cut to a shape, from its beginning."""
    util = _jax().tree_util
    leaves, tree = util.tree_flatten(result)
    return util.tree_unflatten(tree, [_cut(leaf, shape) for leaf, shape in zip(leaves, shapes, strict=True)])


def _cut(leaf: Any, shape: tuple[int, ...]) -> Any:
    if tuple(np.shape(leaf)) == shape:
        return leaf
    inside = tuple(slice(0, size) for size in shape)
    return placed_like(np.asarray(leaf)[inside], leaf) if on_host(leaf) else leaf[inside]


def same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], *, exact: bool = False, times: float = 1.0) -> bool:
    """Whether two arrays are equal, NaN equal to NaN: bit for bit, or within `times` the tolerance of their dtype."""
    if one.shape != other.shape:
        return False
    share = 0.0 if exact else times * tolerance(other.dtype)
    if not share:
        a, b = plain(one), plain(other)
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    a, b = plain(one), plain(other)
    finite = np.abs(b[np.isfinite(b)])
    return bool(np.allclose(a, b, rtol=share, atol=share * float(finite.max(initial=0.0)), equal_nan=True))
