"""Gradients of an original and of a rewritten function, compared."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from whyjit.jaxlink.nodes import is_extended
from whyjit.jaxlink.rows import by_rows
from whyjit.jaxlink.trials import Arguments, Version, changed, op_by_op


class Slope(NamedTuple):
    """Gradients of both versions compared: what differs ("" if nothing), and how the original's was found."""

    difference: str
    how: str = ""


class Gradient:
    """The gradient of a function: that of a weighted sum of its float results, in its float arrays.

    The weights differ from element to element: a sum of squares would have no gradient where results are normalised.
    One call decides which arguments those are; it can then be had at that call and at others of the same types.
    """

    def __init__(self, version: Version, *, compiled: bool) -> None:
        import jax

        leaves, self._tree = jax.tree_util.tree_flatten((version.call.args, version.call.kwargs))
        self._moving = [at for at, leaf in enumerate(leaves) if is_float(leaf)]
        self._still = [at for at, leaf in enumerate(leaves) if isinstance(leaf, jax.Array) and not is_float(leaf)]
        self._function = version.function
        self._compiled = compiled
        self._outputs = 0
        self._grad = jax.value_and_grad(self._loss, has_aux=True)
        if compiled:
            self._grad = jax.jit(self._grad)
        self._rest = leaves

    def at(self, call: Arguments) -> Found | None:
        """The gradient at a call; None where there is no float to move, or none comes out. May raise."""
        import jax

        leaves = jax.tree_util.tree_leaves((call.args, call.kwargs))
        if not self._moving:
            return None
        parts = [leaves[at] for at in self._moving], [leaves[at] for at in self._still]
        if self._compiled:
            found = self._grad(*parts)
        else:
            with jax.disable_jit(), by_rows():
                found = self._grad(*parts)
        if not self._outputs:
            return None
        (_, size), gradients = found
        return Found(list(gradients), float(size) / max(1.0, *(_largest(leaf) for leaf in parts[0])))

    def _loss(self, moving: list[Any], still: list[Any]) -> Any:
        import jax

        leaves = list(self._rest)
        for places, values in ((self._moving, moving), (self._still, still)):
            for at, value in zip(places, values, strict=True):
                leaves[at] = value
        args, kwargs = jax.tree_util.tree_unflatten(self._tree, leaves)
        result = [jax.numpy.asarray(leaf) for leaf in jax.tree_util.tree_leaves(self._function(*args, **kwargs))]
        floats = [leaf for leaf in result if jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating)]
        self._outputs = len(floats)
        parts = [_weighted(leaf) for leaf in floats]
        size = sum((jax.numpy.sum(jax.numpy.abs(part)) for part in parts), jax.numpy.zeros(()))
        return sum((jax.numpy.sum(part) for part in parts), jax.numpy.zeros(())), size


class Found(NamedTuple):
    """A gradient, array by array, and what is usual: how large the sum is for each unit of the arguments."""

    arrays: list[Any]
    usual: float


def _weighted(leaf: Any) -> Any:
    """A result's elements with weights between 0.5 and 1.5, in single precision at least."""
    import jax

    wide = leaf.astype(jax.numpy.promote_types(leaf.dtype, "float32"))
    return wide * (1 + 0.5 * np.cos(np.arange(leaf.size, dtype="float32"))).reshape(leaf.shape).astype(wide.dtype)


def _largest(leaf: Any) -> float:
    values = np.abs(np.asarray(leaf, np.float64))
    return float(np.max(values[np.isfinite(values)], initial=0.0))


def is_float(leaf: Any) -> bool:
    """Whether it is an array of floats of JAX's."""
    import jax

    return (
        isinstance(leaf, jax.Array)
        and not is_extended(leaf.dtype)
        and bool(jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating))
    )


def slopes(old: Version, new: Version, gradients: Gradients) -> Slope:
    """Compare the gradients of both versions in all float arguments.

    The original's is taken op by op. Where that fails, since it calls NumPy, the rewritten one's is compared with
    differences of the original's values along one direction.
    """
    before, after = gradients.of(old, new)
    try:
        found = after.at(new.call)
    except Exception as fault:
        lost = f"{type(fault).__name__}: {str(fault).strip().splitlines()[0]}"
        with contextlib.suppress(Exception):
            if before.at(old.call) is not None:
                return Slope(f"the rewritten function has no gradient ({lost})")
        return Slope("", "has none")
    if found is None:
        return Slope("", "has none")
    try:
        wanted = before.at(old.call)
    except Exception:
        return _by_differences(old, found)
    return Slope(_apart(wanted, found), "automatic")


# Of the gradient's largest element, or of what is usual: what rounding may bring about where most of it cancels.
_ROUNDING = {8: 1e-11, 4: 2e-5, 2: 3e-2}


def _apart(wanted: Found | None, found: Found) -> str:
    """What differs between two gradients beyond rounding."""
    if wanted is None:
        return "the original has no gradient and the rewritten function has one"
    for one, other in zip(wanted.arrays, found.arrays, strict=True):
        first, second = (np.asarray(leaf, np.float64) for leaf in (one, other))
        finite = np.isfinite(first)
        if not np.array_equal(finite, np.isfinite(second)):
            return "gradients that were finite are not, or the reverse"
        scale = max(_largest(first), wanted.usual)
        worst = float(np.max(np.abs(first[finite] - second[finite]), initial=0.0))
        if worst > _ROUNDING.get(one.dtype.itemsize, 0.0) * scale:
            return f"gradients differ by up to {worst:.3g}, where the largest is {_largest(first):.3g}"
    return ""


class Gradients:
    """The gradients of an original, op by op, and of a rewritten version, compiled once for all calls of one type."""

    def __init__(self) -> None:
        self._known: dict[Any, tuple[Gradient, Gradient]] = {}

    def of(self, old: Version, new: Version) -> tuple[Gradient, Gradient]:
        """Those of a pair of versions, of which only the arguments change from one question to the next."""
        key = _key(old.call)
        if key not in self._known:
            self._known[key] = Gradient(old, compiled=False), Gradient(new, compiled=True)
        return self._known[key]


def _key(call: Arguments) -> Any:
    """What two calls have in common that differ in the values of arrays only."""
    import jax

    leaves, tree = jax.tree_util.tree_flatten((call.args, call.kwargs))
    return str(tree), tuple(
        (str(leaf.dtype), leaf.shape) if isinstance(leaf, jax.Array) else (type(leaf), repr(leaf)) for leaf in leaves
    )


_STEP = 1e-2
_CLOSE = 0.05


def _by_differences(old: Version, gradient: Found) -> Slope:
    """The gradient of the rewritten version along one direction against the original's values on both sides."""
    found = gradient.arrays
    if any(leaf.dtype.itemsize < 4 for leaf in found):
        return Slope("", "not compared: half precision is too coarse for differences")
    leaves = [np.asarray(leaf, np.float64) for leaf in found]
    signs = [np.where(np.arange(leaf.size).reshape(leaf.shape) % 2 == 0, 1.0, -1.0) for leaf in leaves]
    along = float(sum(np.sum(leaf * sign) for leaf, sign in zip(leaves, signs, strict=True)))
    try:
        values = [_weighted_sum(op_by_op(old.function, _moved(old.call, signs, step))) for step in (_STEP, -_STEP)]
    except Exception as fault:
        return Slope("", f"not compared ({type(fault).__name__} beside the arguments)")
    slope = (values[0] - values[1]) / (2 * _STEP)
    if not np.isfinite(slope):
        return Slope("", "not compared: values beside the arguments are not finite")
    scale = max(abs(slope), abs(along), 0.02 * gradient.usual, 1e-3)
    if not np.isfinite(along) or abs(slope - along) > _CLOSE * scale:
        return Slope(f"the gradient is {along:.4g} along a direction in which values change by {slope:.4g}", "")
    return Slope("", "by differences of values")


def _weighted_sum(result: Any) -> float:
    import jax

    found = 0.0
    for leaf in jax.tree_util.tree_leaves(result):
        array = jax.numpy.asarray(leaf)
        if is_float(array):
            found += float(np.sum(np.asarray(_weighted(array), np.float64)))
    return found


def _moved(call: Arguments, signs: Sequence[Any], step: float) -> Arguments:
    """The arguments a step along a direction, in the order in which `gradient` sees them."""
    waiting = iter(signs)
    return changed(call, lambda host: host + step * next(waiting))
