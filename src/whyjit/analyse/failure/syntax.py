"""Syntax trees of the user's source."""

from __future__ import annotations

import ast
import functools
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# CPython 3.11 counts how deep it is in a tree for all threads together, and fails where two parse at once.
_LOCK = threading.Lock()
_ATTEMPTS = 3


@functools.lru_cache(maxsize=4)
def module(text: str) -> ast.Module | None:
    """The tree of a file; None where it has no valid syntax. It is shared, so it must not be changed."""
    tree = _parse(text, "exec")
    return tree if isinstance(tree, ast.Module) else None


def module_of(lines: Sequence[str]) -> ast.Module | None:
    """The same, from its lines."""
    try:
        return module("".join(lines)) if lines else None
    except SystemError:
        return None


def expression(text: str) -> ast.expr | None:
    """The tree of one expression."""
    try:
        tree = _parse(text, "eval")
    except SystemError:
        return None
    return tree.body if isinstance(tree, ast.Expression) else None


def statement(text: str) -> ast.stmt | None:
    """The tree of one statement."""
    try:
        tree = _parse(text, "exec")
    except SystemError:
        return None
    return tree.body[0] if isinstance(tree, ast.Module) and len(tree.body) == 1 else None


def _parse(text: str, mode: str) -> ast.AST | None:
    for _ in range(_ATTEMPTS):
        try:
            with _LOCK:
                return ast.parse(text, mode=mode)
        except SystemError:  # the program itself was parsing in another thread
            continue
        except (SyntaxError, ValueError, RecursionError):
            return None
    raise SystemError
