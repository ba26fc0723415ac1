"""The part of a program that a function needs: definitions and constants, without the program's work.

A script that trains when it is imported cannot be imported to try one of its functions. Its imports, and those
definitions and assignments that the function leads to by name, can be run alone.
"""

from __future__ import annotations

import ast
import dis
import types
from collections.abc import Iterable
from typing import TypeGuard

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
# How compiled code reads a name that is no function's own.
_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})
_SIMPLE = (*_DEFINITIONS, *_IMPORTS, ast.Assign, ast.AnnAssign)


class CannotSlice(Exception):  # noqa: N818 - an answer more than an error
    """Why a function's part of a program cannot be told from the rest."""


def is_guarded(source: str) -> bool:
    """Whether a program does its work only `if __name__ == "__main__"`, so that it can be imported."""
    return any(isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) for node in ast.parse(source).body)


def needed(source: str, names: Iterable[str]) -> ast.Module:
    """The statements of a program that these top-level names need, in their order.

    Raises `CannotSlice` where one of the names they lead to is bound in several places or inside a loop, so that its
    value at a call is not known.
    """
    tree = ast.parse(source)
    binders: dict[str, list[int]] = {}
    for at, statement in enumerate(tree.body):
        for name in _bound(statement):
            binders.setdefault(name, []).append(at)
    keep = {at for at, statement in enumerate(tree.body) if _always(statement)}
    seen: set[str] = set()
    waiting = [name for name in names if name in binders]
    waiting += [name for at in keep for name in _loaded(tree.body[at])]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for at in _binding(name, binders.get(name, []), tree.body):
            if at not in keep:
                keep.add(at)
                waiting += _loaded(tree.body[at])
    tree.body = [statement for at, statement in enumerate(tree.body) if at in keep]
    return tree


def _binding(name: str, places: list[int], body: list[ast.stmt]) -> list[int]:
    if not places:
        return []
    if all(isinstance(body[at], _IMPORTS) or _is_harmless_block(body[at]) for at in places):
        return places
    if len(places) > 1:
        lines = ", ".join(str(body[at].lineno) for at in places[:4])
        raise CannotSlice(f"it uses the global `{name}`, which is bound in several places (lines {lines})")
    if not isinstance(body[places[0]], _SIMPLE):
        raise CannotSlice(f"it uses the global `{name}`, which line {body[places[0]].lineno} binds as part of its work")
    return places


def _always(statement: ast.stmt) -> bool:
    """Imports, and settings such as `jax.config.update(...)`."""
    if isinstance(statement, _IMPORTS) or _is_import_block(statement):
        return True
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and ast.unparse(statement.value.func).endswith("config.update")
    )


def _is_import_block(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Try, ast.If)) and all(
        isinstance(part, (*_IMPORTS, ast.Pass)) for part in statement.body
    )


def _is_harmless_block(statement: ast.stmt) -> TypeGuard[ast.Try | ast.If]:
    """A choice between definitions: `try: import ... except: ...`, `if version: def ... else: def ...`."""
    if not isinstance(statement, (ast.Try, ast.If)) or "__name__" in ast.unparse(getattr(statement, "test", statement)):
        return False
    inner = [*statement.body, *statement.orelse]
    if isinstance(statement, ast.Try):
        inner += [*statement.finalbody, *(part for handler in statement.handlers for part in handler.body)]
    return all(isinstance(part, (*_SIMPLE, ast.Pass)) for part in inner)


def _bound(statement: ast.stmt) -> set[str]:
    """The module's names that a statement binds."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    found: set[str] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _DEFINITIONS):
            found.add(node.name)
            continue
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            continue
        if isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def _loaded(statement: ast.stmt) -> list[str]:
    """The module's names that a statement may read, now or when what it defines is called."""
    found: list[str] = []
    waiting = [compile(ast.Module([statement], []), "<part>", "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        found += [str(step.argval) for step in dis.get_instructions(code) if step.opname in _LOADS]
        waiting += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return found
