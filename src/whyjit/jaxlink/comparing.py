"""Results of two versions of a function, compared: structure, types and whole numbers exactly, floats closely."""

from __future__ import annotations

from typing import Any

import numpy as np

from whyjit.jaxlink.nodes import is_extended

# Relative to the largest value of the array: what compilers' reordering and constant folding bring about.
_TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}
_COMPLEX = {"complex64": "float32", "complex128": "float64"}


def difference(old: Any, new: Any, looser: float = 1.0, *, weak: bool = True) -> str:
    """What differs between two results beyond rounding, in a few words; "" if nothing does.

    `looser` multiplies what counts as rounding. Without `weak`, the weakness of types is not compared.
    """
    import jax

    olds, before = jax.tree_util.tree_flatten(old)
    news, after = jax.tree_util.tree_flatten(new)
    if before != after:
        return f"the structure of the result changes from {before} to {after}"
    for at, (one, other) in enumerate(zip(olds, news, strict=True)):
        found = types(one, other, weak=weak) or _values(one, other, looser)
        if found:
            return f"{found} (result {at})" if len(olds) > 1 else found
    return ""


def types(old: Any, new: Any, *, weak: bool = True) -> str:
    """What differs between the types of two results."""
    one, other = (_type(value) if weak else _type(value).removeprefix("weak ") for value in (old, new))
    return "" if one == other else f"the result's type changes from {one} to {other}"


def _type(value: Any) -> str:
    aval = getattr(value, "aval", value)
    weak = "weak " if getattr(aval, "weak_type", False) else ""
    return f"{weak}{getattr(aval, 'dtype', type(value).__name__)}{list(getattr(aval, 'shape', ()))}"


def _values(old: Any, new: Any, looser: float) -> str:
    one, other = _host(old), _host(new)
    if one.size == 0 or np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"):
        return ""
    name = _COMPLEX.get(str(one.dtype), str(one.dtype))
    if name not in _TOLERANCE:
        return "whole numbers of the result differ"
    kind = np.complex128 if one.dtype.kind == "c" else np.float64
    one, other = one.astype(kind), other.astype(kind)
    finite = np.isfinite(one)
    if not np.array_equal(finite, np.isfinite(other)):
        return "values of the result that were finite are not, or the reverse"
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return "infinite values of the result differ"
    distance = np.abs(one[finite] - other[finite])
    scale = np.max(np.abs(one[finite]), initial=0.0)
    worst = float(np.max(distance, initial=0.0))
    if worst <= looser * _TOLERANCE[name] * scale:
        return ""
    return f"values of the result differ by up to {worst:.3g}, where the largest is {scale:.3g}"


def _host(value: Any) -> np.ndarray:
    if is_extended(getattr(value, "dtype", None)):
        import jax

        return np.asarray(jax.random.key_data(value))
    return np.asarray(value)


def kind_of(leaf: Any) -> Any:
    """What JAX keys on of a leaf: the type of an array, the value of anything else."""
    if hasattr(leaf, "dtype") and hasattr(leaf, "shape"):
        return _type(leaf)
    return (type(leaf).__name__, repr(leaf))
