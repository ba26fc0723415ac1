"""Types of arrays as JAX prints them: `f32[16,3]`, `~i32[]` for a weak type, `key<fry>[4]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.model.signature import Leaf

_SHORT = {
    "float": "f",
    "bfloat": "bf",
    "int": "i",
    "uint": "u",
    "complex": "c",
}


def short_dtype(dtype: str) -> str:
    """The short name of a dtype: `float32` gives `f32`; names without a number stay as they are."""
    stem = dtype.rstrip("0123456789")
    bits = dtype[len(stem) :]
    return f"{_SHORT[stem]}{bits}" if bits and stem in _SHORT else dtype


def aval_text(shape: Iterable[int], dtype: str, *, weak: bool = False) -> str:
    """The type of an array as JAX prints it, with `~` before a weak type."""
    return f"{'~' if weak else ''}{short_dtype(dtype)}[{','.join(map(str, shape))}]"


def leaf_text(leaf: Leaf) -> str:
    """The type of a leaf as JAX prints it."""
    return aval_text(leaf.shape, leaf.dtype, weak=leaf.weak_type)
