"""The arms that change one array: its axes, its element type, its weak type; and the axes that change together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whyjit.model.avals import aval_text
from whyjit.model.probe import Arm, Cast, Factor, Resize, SizesPlan, axes_text
from whyjit.model.signature import Leaf

# What an element type is mistaken for in practice, most often first.
_NEIGHBOURS = {
    "float32": ("bfloat16", "int32"),
    "float16": ("float32",),
    "bfloat16": ("float32",),
    "float64": ("float32",),
    "int32": ("float32", "uint8"),
    "int64": ("int32", "float32"),
    "uint8": ("float32", "int32"),
    "bool": ("int32",),
    "complex64": ("float32",),
}
_WIDE = {"float32": "float64", "int32": "int64"}
MOST_AXES = 8


def of_leaf(leaf: Leaf, *, x64: bool) -> Iterator[Arm]:
    """The arms of one leaf. A Python number keeps its shape, and becomes strong."""
    if leaf.holder == "other":
        return
    if leaf.holder != "python":
        for axis, size in enumerate(leaf.shape):
            yield _resize(leaf, axis, size + 1)
        for axis, size in enumerate(leaf.shape):
            if size not in (0, 1):
                yield _resize(leaf, axis, 1)
        wide = (_WIDE[leaf.dtype],) if x64 and leaf.dtype in _WIDE else ()
        for dtype in (*_NEIGHBOURS.get(leaf.dtype, ()), *wide):
            yield Arm(
                Factor("dtype", leaf.path, _type(leaf), aval_text(leaf.shape, dtype, weak=leaf.weak_type)),
                Cast(leaf.path, dtype, leaf.weak_type),
            )
    if not leaf.dtype.startswith(("key<", "bool")):
        new = aval_text(leaf.shape, leaf.dtype, weak=not leaf.weak_type)
        yield Arm(Factor("weak_type", leaf.path, _type(leaf), new), Cast(leaf.path, leaf.dtype, not leaf.weak_type))


def _type(leaf: Leaf) -> str:
    return aval_text(leaf.shape, leaf.dtype, weak=leaf.weak_type)


def _resize(leaf: Leaf, axis: int, size: int) -> Arm:
    shape = tuple(size if at == axis else old for at, old in enumerate(leaf.shape))
    axes = ((leaf.path, axis),)
    new = aval_text(shape, leaf.dtype, weak=leaf.weak_type)
    return Arm(Factor("shape", axes_text(axes), _type(leaf), new), Resize(axes, size))


def groups(leaves: Sequence[Leaf]) -> dict[int, tuple[tuple[str, int], ...]]:
    """The axes by size: those of one size may well be one axis to the function. Sizes 0 and 1 tie nothing."""
    found: dict[int, list[tuple[str, int]]] = {}
    for leaf in leaves:
        if leaf.holder in ("python", "other"):
            continue
        for axis, size in enumerate(leaf.shape):
            if size > 1:
                found.setdefault(size, []).append((leaf.path, axis))
    return {size: tuple(axes) for size, axes in found.items()}


def tied(leaves: Sequence[Leaf]) -> Iterator[Arm]:
    """Axes of one size in several places, changed together: alone, each of them mostly fails."""
    for size, axes in groups(leaves).items():
        if len(axes) > 1:
            for new in (size + 1, 1):
                yield Arm(Factor("shape", axes_text(axes), f"size {size}", f"size {new}"), Resize(axes, new))


def sizes(leaves: Sequence[Leaf]) -> Iterator[SizesPlan]:
    """Each size with its axes at several sizes: small ones, which many programs treat apart, a near and a far one."""
    for size, axes in groups(leaves).items():
        yield SizesPlan(axes, size, (size, *sorted({1, 2, 3, size + 1, 2 * size} - {size})))
