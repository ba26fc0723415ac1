"""How the failing expression is used: as a condition, a loop bound, an index, an argument of a call, ..."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from whyjit.analyse.failure.locate import Located

Kind = Literal[
    "if", "elif", "while", "conditional", "assert", "not", "and", "or", "chained", "in", "compare", "filter", "match",
    "call", "loop", "index", "slice", "format", "value",
]  # fmt: skip


class Use(NamedTuple):
    """`kind` says how Python used the expression; `owner` is the node that used it, `callee` the function called.

    `inside` is the outer condition, where the expression is one side of `and`, `or` or `not` in it.
    """

    kind: Kind
    owner: ast.AST
    callee: str = ""
    inside: Kind | None = None


def use_of(located: Located) -> Use:
    """How an expression is used."""
    node = located.node
    parents = list(reversed(located.ancestors))
    parent = parents[0] if parents else None
    around = _condition(node, parents)
    if isinstance(node, (ast.Call, ast.Subscript)) and not located.truth:
        return _of_itself(node, parents, around)  # it failed within; nobody has asked for the truth of its value yet
    if isinstance(parent, ast.BoolOp) and not isinstance(node, ast.BoolOp):
        return Use("and" if isinstance(parent.op, ast.And) else "or", parent, inside=around)
    if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
        return Use("not", parent, inside=around)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return Use("not", node, inside=around)
    if isinstance(node, ast.BoolOp):
        return Use("and" if isinstance(node.op, ast.And) else "or", node, inside=around)
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return Use("chained", node, inside=around)
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return Use("in", node, inside=around)
    if isinstance(parent, (ast.MatchValue, ast.MatchSingleton)):
        match = next((part for part in parents if isinstance(part, ast.Match)), parent)
        return Use("match", match)
    if located.truth and around is not None:
        return Use(around, parent or node)
    if isinstance(node, (ast.Call, ast.Subscript)):
        return _of_itself(node, parents, around)
    if isinstance(node, (ast.JoinedStr, ast.FormattedValue)) or isinstance(parent, ast.FormattedValue):
        return Use("format", node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
        return Use("format", node)
    if around is not None:
        return Use(around, parent or node)
    return Use("value", parent or node)


def _of_itself(node: ast.Call | ast.Subscript, parents: list[ast.AST], around: Kind | None) -> Use:
    if isinstance(node, ast.Call):
        kind: Kind = "loop" if _is_loop_range(node, parents) else "call"
        return Use(kind, node, ast.unparse(node.func), around)
    return Use("slice" if _has_slice(node) else "index", node)


def _condition(node: ast.expr, parents: list[ast.AST]) -> Kind | None:
    """The condition an expression decides: directly, or through `and`, `or` and `not`."""
    current: ast.AST = node
    for at, parent in enumerate(parents):
        if isinstance(parent, ast.If) and parent.test is current:
            above = parents[at + 1] if at + 1 < len(parents) else None
            return "elif" if isinstance(above, ast.If) and parent in above.orelse else "if"
        if isinstance(parent, ast.While) and parent.test is current:
            return "while"
        if isinstance(parent, ast.IfExp) and parent.test is current:
            return "conditional"
        if isinstance(parent, ast.Assert) and parent.test is current:
            return "assert"
        if isinstance(parent, ast.comprehension) and current in parent.ifs:
            return "filter"
        if isinstance(parent, ast.match_case) and parent.guard is current:
            return "match"
        if not isinstance(parent, (ast.BoolOp, ast.NamedExpr)) and not _is_not(parent):
            return None
        current = parent
    return None


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_loop_range(node: ast.Call, parents: list[ast.AST]) -> bool:
    if not (isinstance(node.func, ast.Name) and node.func.id == "range"):
        return False
    current: ast.AST = node
    for parent in parents:
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
            return parent.iter is current
        if not isinstance(parent, ast.Call):  # enumerate(range(n)), zip(range(n), xs)
            return False
        current = parent
    return False


def _has_slice(node: ast.Subscript) -> bool:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(isinstance(part, ast.Slice) for part in parts)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
