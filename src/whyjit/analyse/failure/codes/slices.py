"""Slices with traced bounds: a mask over what they are taken from, or a slice of a fixed size."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.codes.masks import is_whole
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation


class Sliced(NamedTuple):
    """What traced slices are taken from, as code, its dimensions, and each slice with its axis there.

    `whole` tells that it is the array itself: nothing else picks a part of it.
    """

    array: str
    dimensions: int
    slices: tuple[tuple[int, ast.Slice], ...]
    whole: bool


def sliced(situation: Situation, node: ast.Subscript) -> Sliced | None:
    """The traced slices in a subscript; None where their axes are not known."""
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    seen = situation.see(node.value)
    known = len(seen.shape) if seen is not None and seen.shape is not None else None
    kinds = [_kind(situation, part) for part in parts]
    taken = sum(kind in ("slice", "whole", "number") for kind in kinds)
    if "other" in kinds or ("ellipsis" in kinds and known is None):
        return None
    axis = 0
    traced: list[ast.expr] = [one for one in parts if isinstance(one, ast.Slice) and situation.is_traced(one)]
    # The variable of a comprehension cannot be read any more: then it is a slice that has one in it.
    traced = traced or [part for part, kind in zip(parts, kinds, strict=True) if kind == "slice" and _varies(part)]
    found: list[tuple[int, ast.Slice]] = []
    for part, kind in zip(parts, kinds, strict=True):
        if isinstance(part, ast.Slice) and part in traced:
            found.append((axis, part))
        axis += {"number": 0, "ellipsis": (known or 0) - taken}.get(kind, 1)
    behind = max(known - taken, 0) if known is not None and "ellipsis" not in kinds else 0
    rest = [part for part in parts if not any(part is one for _, one in found)]
    whole = all(_kind(situation, part) in ("whole", "ellipsis") for part in rest)
    array = situation.text(node.value)
    if not whole:
        texts = [":" if any(part is one for _, one in found) else situation.text(part) for part in parts]
        array = f"{array}[{', '.join(texts)}]"
    return Sliced(array, axis + behind, tuple(found), whole) if found else None


def _kind(situation: Situation, part: ast.expr) -> str:
    """What a part of a subscript does to the dimensions."""
    if isinstance(part, ast.Slice):
        return "whole" if is_whole(part) else "slice"
    value = part.operand if isinstance(part, ast.UnaryOp) else part
    if isinstance(value, ast.Constant):
        return "ellipsis" if value.value is ... else "new" if value.value is None else "number"
    seen = situation.see(part)
    return "number" if seen is not None and (seen.scalar or seen.type_name == "int") else "other"


def _varies(part: ast.expr) -> bool:
    return any(isinstance(one, ast.Name) for one in ast.walk(part))


def slice_remedies(situation: Situation, node: ast.Subscript) -> list[Remedy]:
    """The ways out: of one size that is known first the slice of that size, else the mask."""
    found = sliced(situation, node)
    if found is None:
        return []
    if any(part.step is not None for _, part in found.slices):
        return _strided(situation, found) if len(found.slices) == 1 else []
    text, sized = found.array, True
    statics: list[str] = []
    for axis, part in found.slices:
        length = _length(part)
        size = "<fixed size>" if length is None else situation.text(length)
        lower = "0" if part.lower is None else _bound(situation, part.lower, found.array, axis)
        text = f"{situation.names.lax}.dynamic_slice_in_dim({text}, {lower}, {size}, axis={axis})"
        statics += [size] if length is not None and situation.is_traced(length) else []
        sized = sized and length is not None
    text += f", with {' and '.join(dict.fromkeys(statics))} static" if statics else ""
    cost = "the size must be a Python int; only the start may be traced"
    if sized:
        cost += ", and one too near the end is moved back"
    fixed = Remedy("lax.dynamic_slice", text, cost)
    masked = f"{situation.names.jnp}.where({_mask(situation, found)}, {found.array}, 0)"
    mask = Remedy("mask", masked, "keeps the full shape: what lies outside is filled")
    return [fixed, mask] if sized and not statics else [mask, fixed]


def _strided(situation: Situation, found: Sliced) -> list[Remedy]:
    """`x[::k]`: what is picked lies apart."""
    axis, part = found.slices[0]
    jnp = situation.names.jnp
    places = f"{jnp}.arange(<fixed size>) * ({situation.text(part.step)})" if part.step is not None else ""
    if part.lower is not None:
        places = f"{situation.text(part.lower)} + {places}"
    text = f"{jnp}.take({found.array}, {places}, axis={axis}, mode='clip')"
    return [Remedy("jnp.take", text, "always as many elements; places beyond the end give the last one")]


def update_remedies(situation: Situation, array: ast.expr, index: ast.expr, new: str) -> list[Remedy]:
    """`x.at[:n].set(value)`."""
    found = sliced(situation, ast.Subscript(array, index, ast.Load()))
    call = situation.located.node
    if found is None or not found.whole or not isinstance(call, ast.Call) or not call.args:
        return []
    if any(part.step is not None for _, part in found.slices):
        return []
    value = situation.see(call.args[0])
    if value is not None and value.shape not in (None, ()):  # an array as long as the slice
        axis, part = found.slices[0]
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "set" and len(found.slices) == 1):
            return []
        lower = "0" if part.lower is None else _bound(situation, part.lower, found.array, axis)
        text = f"{situation.names.lax}.dynamic_update_slice_in_dim({found.array}, {new}, {lower}, axis={axis})"
        cost = "writes as much as the new value has; a start too near the end is moved back"
        return [Remedy("lax.dynamic_update_slice", text, cost)]
    text = f"{situation.names.jnp}.where({_mask(situation, found)}, {new}, {found.array})"
    return [Remedy("jnp.where", text, "none; the new value must be one for all, or have the array's shape")]


def _length(part: ast.Slice) -> ast.expr | None:
    """`width` in `x[start:start + width]`, in `x[end - width:end]` and in `x[i * width:(i + 1) * width]`."""
    lower, upper = part.lower, part.upper
    if lower is None or upper is None:
        return None
    if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add):
        pairs = ((upper.left, upper.right), (upper.right, upper.left))
        return next((width for start, width in pairs if ast.dump(start) == ast.dump(lower)), None)
    if isinstance(lower, ast.BinOp) and isinstance(lower.op, ast.Sub) and ast.dump(lower.left) == ast.dump(upper):
        return lower.right
    if isinstance(lower, ast.BinOp) and isinstance(upper, ast.BinOp) and _is_next(lower, upper):
        return lower.right
    return None


def _is_next(lower: ast.BinOp, upper: ast.BinOp) -> bool:
    """`i * width` and `(i + 1) * width`."""
    both = isinstance(lower.op, ast.Mult) and isinstance(upper.op, ast.Mult)
    one = ast.dump(ast.BinOp(lower.left, ast.Add(), ast.Constant(1)))
    return both and ast.dump(lower.right) == ast.dump(upper.right) and ast.dump(upper.left) == one


def _mask(situation: Situation, found: Sliced) -> str:
    """A mask over the array for what the slices pick."""
    masks: list[str] = []
    jnp = situation.names.jnp
    for axis, part in found.slices:
        index = f"{jnp}.arange({found.array}.shape[{axis}])"
        tests = [f"{index} >= {_bound(situation, part.lower, found.array, axis)}"] if part.lower is not None else []
        tests += [f"{index} < {_bound(situation, part.upper, found.array, axis)}"] if part.upper is not None else []
        mask = tests[0] if len(tests) == 1 else f"({') & ('.join(tests)})"
        behind = found.dimensions - axis - 1
        masks.append(f"({mask})[:{', None' * behind}]" if behind > 0 else mask)
    return masks[0] if len(masks) == 1 else f"({') & ('.join(masks)})"


def _bound(situation: Situation, node: ast.expr, array: str, axis: int) -> str:
    """A bound of a slice; `-n` counts from the end."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"{array}.shape[{axis}] - {situation.text(node.operand)}"
    return situation.text(node)
