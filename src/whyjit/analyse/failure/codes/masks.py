"""Masks in the place of elements that are picked out: which axes they need, and what a reduction becomes."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from whyjit.analyse.failure.rewrite import grouped

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

REDUCTIONS = frozenset({"sum", "mean", "max", "min", "any", "all", "prod", "std", "var"})
_UPDATES = {
    "set": "{value}", "add": "{array} + {value}", "subtract": "{array} - {value}", "multiply": "{array} * {value}",
    "divide": "{array} / {value}", "min": "{jnp}.minimum({array}, {value})", "max": "{jnp}.maximum({array}, {value})",
}  # fmt: skip
# Calls that work element by element, so that a mask may as well be applied to their result.
_ELEMENTWISE = frozenset({
    "abs", "absolute", "square", "sqrt", "exp", "log", "log1p", "expm1", "sin", "cos", "tanh", "power", "where", "sign",
    "maximum", "minimum", "clip", "isnan", "isfinite", "logical_and", "logical_or", "logical_not", "relu", "sigmoid",
})  # fmt: skip
_TESTS = frozenset({"isnan", "isinf", "isfinite", "isclose", "isin", "logical_and", "logical_or", "logical_not"})


def is_mask(situation: Situation, node: ast.expr) -> bool:
    """Whether an index is a mask, as far as its source or its value tells."""
    seen = situation.see(node)
    if seen is not None:
        return seen.dtype.startswith("bool")
    if isinstance(node, ast.Compare):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert) and is_mask(situation, node.operand)
    if isinstance(node, ast.BinOp):
        both = isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
        return both and is_mask(situation, node.left) and is_mask(situation, node.right)
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _TESTS


def spread(situation: Situation, mask: ast.expr, array: ast.expr) -> str:
    """The mask's source, with the axes added that it needs to broadcast to the array it has the first axes of."""
    return _with_axes(situation, mask, _missing(situation, mask, array) or 0)


def _with_axes(situation: Situation, mask: ast.expr, count: int) -> str:
    text = situation.text(mask)
    return f"{grouped(mask, text)}[...{', None' * count}]" if count > 0 else text


def axis_mask(situation: Situation, index: ast.expr, array: ast.expr) -> tuple[str, str, int] | None:
    """The mask in `x[mask]` and `x[:, mask]`: alone, with the axes it needs to broadcast, and its axis.

    None where something else picks, too.
    """
    if not isinstance(index, ast.Tuple):
        return situation.text(index), spread(situation, index, array), 0
    whole = situation.see(array)
    masks = [(at, part) for at, part in enumerate(index.elts) if situation.is_traced(part)]
    rest = [part for part in index.elts if not situation.is_traced(part)]
    if len(masks) != 1 or whole is None or whole.shape is None or not all(map(is_whole, rest)):
        return None
    at, mask = masks[0]
    seen = [one.shape for _, one in situation.scene.traced_parts(0, mask) if one.shape is not None]
    behind = len(whole.shape) - at - max((len(shape) for shape in seen), default=1)
    return situation.text(mask), _with_axes(situation, mask, behind), at


def is_whole(part: ast.expr) -> bool:
    """Whether a part of a subscript is `:`."""
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def _missing(situation: Situation, mask: ast.expr, array: ast.expr) -> int | None:
    """How many dimensions a mask has less than the array; None where one of them is not known."""
    whole, own = situation.see(array), situation.see(mask)
    shapes = [seen.shape for _, seen in situation.scene.traced_parts(0, mask) if seen.shape is not None]
    if own is not None and own.shape is not None:
        shapes = [own.shape]
    if whole is None or whole.shape is None or not shapes:
        return None
    return len(whole.shape) - max(len(shape) for shape in shapes)


def picks_rows(situation: Situation, node: ast.Subscript) -> bool:
    """Whether `array[mask]` keeps the array's axes; a mask with all of its axes makes one axis of them."""
    whole = situation.see(node.value)
    vector = whole is not None and whole.shape is not None and len(whole.shape) == 1
    return vector or _missing(situation, node.slice, node.value) != 0


def update(situation: Situation, call: ast.AST) -> tuple[ast.expr, ast.expr, str] | None:
    """`x.at[index].set(value)`: the array, the index, and the new value of every element that the index picks."""
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _UPDATES):
        return None
    item = call.func.value
    at = isinstance(item, ast.Subscript) and isinstance(item.value, ast.Attribute) and item.value.attr == "at"
    if not at or not call.args or not isinstance(item, ast.Subscript) or not isinstance(item.value, ast.Attribute):
        return None
    array = item.value.value
    value = unmasked(situation, call.args[0], item.slice) or situation.text(call.args[0])
    names = {"array": situation.text(array), "value": value, "jnp": situation.names.jnp}
    return array, item.slice, _UPDATES[call.func.attr].format(**names)


def unmasked(situation: Situation, node: ast.expr, mask: ast.expr) -> str | None:
    """An expression element by element without the indexing by one mask; None where it does more than that."""
    text = ast.dump(mask)
    masked = [part for part in ast.walk(node) if isinstance(part, ast.Subscript) and ast.dump(part.slice) == text]
    if not masked or not _elementwise(node, masked):
        return None
    if node is masked[0]:
        return situation.text(masked[0].value)
    return ast.unparse(_Unmask(text).visit(copy.deepcopy(node)))


def _elementwise(node: ast.expr, masked: list[ast.Subscript]) -> bool:
    if node in masked or isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.BinOp):
        whole = not isinstance(node.op, ast.MatMult)
        return whole and _elementwise(node.left, masked) and _elementwise(node.right, masked)
    if isinstance(node, ast.UnaryOp):
        return _elementwise(node.operand, masked)
    if isinstance(node, ast.Call) and not node.keywords:
        name = ast.unparse(node.func).rpartition(".")[2]
        return name in _ELEMENTWISE and all(_elementwise(one, masked) for one in node.args)
    return False


class _Unmask(ast.NodeTransformer):
    def __init__(self, mask: str) -> None:
        self._mask = mask

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return node.value if ast.dump(node.slice) == self._mask else node


def initial(situation: Situation, array: ast.expr, reduction: str) -> str:
    """What `max` and `min` need beside `where=`: the value of an array without elements."""
    if reduction not in ("max", "min"):
        return ""
    seen = situation.see(array)
    least = "-" if reduction == "max" else ""
    if seen is not None and seen.dtype.startswith(("float", "bfloat")):
        return f", initial={least}{situation.names.jnp}.inf"
    return f", initial=<the {'least' if least else 'largest'} value>"
