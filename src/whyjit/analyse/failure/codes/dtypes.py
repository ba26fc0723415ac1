"""Element types by their names: which holds which, and how an expression is written in one."""

from __future__ import annotations

import ast
import re

from whyjit.analyse.failure import syntax

_NAME = re.compile(r"(bool|uint|int|float|bfloat|complex)(\d*)(?:_\w+)?")
_RANKS = {"bool": 0, "uint": 1, "int": 1, "float": 2, "bfloat": 2, "complex": 3}


def widens(narrow: str, wide: str) -> bool:
    """Whether the second type holds the numbers of the first, as JAX promotes them."""
    old, new = _NAME.fullmatch(narrow), _NAME.fullmatch(wide)
    if old is None or new is None:
        return False
    ranks = _RANKS[old[1]], _RANKS[new[1]]
    if ranks[0] != ranks[1]:
        return ranks[0] < ranks[1]
    same = old[1] == new[1] or (old[1], new[1]) == ("bfloat", "float")
    return same and int(old[2] or 0) < int(new[2] or 0)


def converted(source: str, dtype: str) -> str:
    """An expression in another type. A number of Python's has no `astype`, and a name may stand for one."""
    node = syntax.expression(source)
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(inner, (ast.Constant, ast.Name)):
        return f"jnp.asarray({source}, jnp.{dtype})"
    return f"({source}).astype(jnp.{dtype})"
