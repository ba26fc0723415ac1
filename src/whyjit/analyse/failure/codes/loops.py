"""What a Python loop carries from one round to the next, read from its source."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def carried_names(loop: ast.AST | None, function: Scope | None) -> list[str]:
    """The names that a loop's body sets and that have a value before the loop: the others begin anew each round."""
    body: list[ast.stmt] = getattr(loop, "body", [])
    found = dict.fromkeys(name for statement in body for name in _stored(statement))
    if loop is None or function is None:
        return list(found)
    before = _parameters(function)
    for part in ast.walk(function):
        if isinstance(part, ast.stmt) and part.lineno < getattr(loop, "lineno", 0) and part is not function:
            before.update(_stored(part))
    return [name for name in found if name in before]


def makes_objects(loop: ast.AST | None) -> bool:
    """Whether a loop's body makes an object of a class, by the look of its name: a layer with parameters."""
    calls = (part for part in ast.walk(loop) if isinstance(part, ast.Call)) if loop is not None else ()
    return any(ast.unparse(call.func).rpartition(".")[2][:1].isupper() for call in calls)


def collects(loop: ast.AST | None) -> bool:
    """Whether a loop's body puts a value of each round into a list: `out.append(x)`."""
    calls = (part.value for part in ast.walk(loop) if isinstance(part, ast.Expr)) if loop is not None else ()
    found = (call.func for call in calls if isinstance(call, ast.Call))
    return any(isinstance(one, ast.Attribute) and one.attr in ("append", "extend", "insert") for one in found)


def recomputed(loop: ast.AST | None, test: ast.expr) -> bool:
    """Whether a loop's body calls a function for what its condition tests: static arguments then do not stay static."""
    tested = {part.id for part in ast.walk(test) if isinstance(part, ast.Name)}
    made = [
        part
        for statement in getattr(loop, "body", [])
        for part in ast.walk(statement)
        if isinstance(part, (ast.Assign, ast.AugAssign, ast.AnnAssign))
    ]
    calls = {
        name for part in made for name in _stored(part) if any(isinstance(one, ast.Call) for one in ast.walk(part))
    }
    reads = any(isinstance(part, ast.Call) for part in ast.walk(test))
    while True:  # through the other names that the body sets
        more = {
            name for part in made for name in _stored(part)
            if name not in calls and any(isinstance(one, ast.Name) and one.id in calls for one in ast.walk(part))
        }  # fmt: skip
        if not more:
            return reads or bool(calls & tested)
        calls |= more


def _stored(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _parameters(function: Scope) -> set[str]:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return {one.arg for one in (*named, *(rest for rest in (arguments.vararg, arguments.kwarg) if rest is not None))}
