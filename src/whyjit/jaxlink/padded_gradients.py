"""Gradients through a padded call against those through the call itself."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from whyjit.jaxlink import outputs, padding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whyjit.jaxlink.padding import Located, Place

# Sums over more entries, in another order: they round more than the results do.
_TIMES = 10.0


@functools.cache
def _jax() -> Any:
    import jax

    return jax


class Compared(NamedTuple):
    """Whether the gradients are equal, and what differs or why they were not compared."""

    verdict: Literal["equal", "differ", ""]
    note: str


NOTHING = Compared("", "")


def compare(
    call: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    cases: Sequence[tuple[Located, int]],
    fill: Callable[[Place], Any],
) -> Compared:
    """Compare, for each call and the size to pad it to, the gradient of a weighted sum of its float outputs.

    The gradient is taken with respect to every float array in the arguments, padded or not. The padded call is cropped
    before the sum, as its user would see it.
    """
    verdict = NOTHING
    for located, size in cases:
        verdict = _one(call, located, size, fill)
        if verdict.verdict != "equal":
            return verdict
    return verdict


def _one(call: Any, located: Located, size: int, fill: Any) -> Compared:
    jax = _jax()
    util = jax.tree_util
    args, kwargs = padding.unpadded(located)
    pairs, tree = util.tree_flatten_with_path((args, kwargs))
    leaves = [leaf for _, leaf in pairs]
    numbers = [at for at, leaf in enumerate(leaves) if _is_float(leaf)]
    result = util.tree_leaves(call(args, kwargs))
    shapes = [tuple(np.shape(leaf)) for leaf in result]
    if not numbers or not any(_is_float(leaf) for leaf in result):
        return Compared("", "it has no float arrays among its arguments and results")
    random = np.random.default_rng(2)
    weights = [random.standard_normal(shape) for shape in shapes]

    def loss(floats: list[Any], *, padded: bool) -> Any:
        whole = list(leaves)
        for at, value in zip(numbers, floats, strict=True):
            whole[at] = value
        now = located.with_arguments(*util.tree_unflatten(tree, whole))
        out = call(*(now.padded(size, fill) if padded else padding.unpadded(now)))
        out = outputs.crop(out, shapes) if padded else out
        real = jax.numpy.real
        parts = [
            (real(leaf) * weight.astype(real(leaf).dtype)).sum().astype(np.float32)
            for leaf, weight in zip(util.tree_leaves(out), weights, strict=True)
            if _is_float(leaf)
        ]
        return functools.reduce(lambda one, other: one + other, parts)

    floats = [jax.numpy.asarray(leaves[at]) for at in numbers]
    try:
        old = jax.jit(jax.grad(functools.partial(loss, padded=False)))(floats)
    except Exception as fault:
        return Compared("", f"it cannot be differentiated ({_told(fault)})")
    try:
        new = jax.jit(jax.grad(functools.partial(loss, padded=True)))(floats)
    except Exception as fault:
        return Compared("differ", f"the padded call cannot be differentiated ({_told(fault)})")
    for at, one, other in zip(numbers, old, new, strict=True):
        before, after = np.asarray(one), np.asarray(other)
        if not outputs.same(after, before, times=_TIMES):
            spoilt = np.isnan(outputs.plain(after)).sum() > np.isnan(outputs.plain(before)).sum()
            how = "is NaN where it was not" if spoilt else "is another one"
            path = pairs[at][0]
            name = located.name_of(path[1].idx if path[0].idx == 0 else path[1].key) + util.keystr(path[2:])
            return Compared("differ", f"the gradient for `{name}` {how} when size {located.size} is padded to {size}")
    return Compared("equal", "")


def _told(fault: Exception) -> str:
    return " ".join(f"{type(fault).__name__}: {fault}".split())[:200]


def _is_float(leaf: Any) -> bool:
    dtype = getattr(leaf, "dtype", None)
    if dtype is None or not hasattr(leaf, "shape"):
        return False
    return bool(_jax().numpy.issubdtype(dtype, np.inexact))
