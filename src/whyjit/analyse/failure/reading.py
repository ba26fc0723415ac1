"""Finds arguments by reading the source, where JAX kept no operations: in `vmap` and `grad` outside any jit.

Goes from the failing expression back through assignments to the parameters of its function, and on to the expressions
that the user's own callers passed. It may name an argument too many where code assigns a name on several paths.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.locate import Located, locate
from whyjit.model.failure import Argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.scene import Scene

_STATIC = frozenset({"shape", "ndim", "dtype", "size"})


class Read(NamedTuple):
    """The arguments that a value depends on, and the function they belong to."""

    function: str
    arguments: tuple[Argument, ...]


def read_arguments(scene: Scene, located: Located, nodes: Sequence[ast.expr]) -> Read | None:
    """The parameters of the outermost function of the user's that the source leads to from these expressions."""
    current = located
    for depth in range(len(scene.points)):
        function = current.function
        if function is None:
            return None
        known = scene.origin(depth, nodes) if depth else None
        if known is not None and known.exact and known.arguments:
            return Read(known.called, known.arguments)
        wanted = set[str]().union(*(_names(node) for node in nodes))
        parameters = _parameters(function)
        found = _trace_back(function, current.node, wanted) & set(parameters)
        traced = [name for name in parameters if name in found and _traced(scene, depth, name)]
        outer = _caller(scene, depth)
        passed = None if outer is None else _passed(outer, parameters, traced)
        if outer is None or passed is None:
            arguments = tuple(_argument(scene, depth, name) for name in traced)
            return Read(scene.points[depth].function, arguments) if traced else None
        nodes, current = passed, outer
    return None


def _caller(scene: Scene, depth: int) -> Located | None:
    """The user's call that led to a point: one that called its function, or the jitted form of it."""
    if depth + 1 >= len(scene.points):
        return None
    outer = scene.points[depth + 1]
    call = locate(outer, scene.lines(outer.file))
    if call is None or not isinstance(call.node, ast.Call) or call.function is None:
        return None
    if scene.points[depth].direct:
        return call
    callee = scene.callee(depth + 1, call.node.func)
    same = callee is not None and callee.name.rpartition(".")[2] == scene.points[depth].function.rpartition(".")[2]
    return call if same else None


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    arguments = function.args
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _names(node: ast.AST) -> set[str]:
    found: set[str] = set()
    todo: list[ast.AST] = [node]
    while todo:
        current = todo.pop()
        if isinstance(current, ast.Attribute) and current.attr in _STATIC:
            continue
        if isinstance(current, ast.Call) and isinstance(current.func, ast.Name):
            todo.extend((*current.args, *current.keywords))
            continue
        if isinstance(current, ast.Name):
            found.add(current.id)
        todo.extend(ast.iter_child_nodes(current))
    return found


def _trace_back(function: ast.AST, stop: ast.expr, wanted: set[str]) -> set[str]:
    """Every name that the wanted ones depend on through assignments above (or, in a loop, below) the failing line."""
    known = set(wanted)
    loops = any(isinstance(part, (ast.For, ast.While)) and part.lineno <= stop.lineno for part in ast.walk(function))
    assignments = [
        one for part in ast.walk(function) for one in _assignments(part) if loops or _line(part) <= stop.lineno
    ]
    grown = True
    while grown:
        grown = False
        for targets, value in assignments:
            if known & targets and not value <= known:
                known |= value
                grown = True
    return known


def _line(node: ast.AST) -> int:
    return node.lineno if isinstance(node, (ast.expr, ast.stmt)) else 0


def _assignments(node: ast.AST) -> list[tuple[set[str], set[str]]]:
    if isinstance(node, ast.Assign):
        return [(set[str]().union(*map(_names, node.targets)), _names(node.value))]
    if isinstance(node, (ast.AugAssign, ast.NamedExpr)):
        return [(_names(node.target), _names(node.value) | _names(node.target))]
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return [(_names(node.target), _names(node.value))]
    if isinstance(node, ast.For):
        return [(_names(node.target), _names(node.iter))]
    return []


def _argument(scene: Scene, depth: int, name: str) -> Argument:
    seen = scene.see(depth, ast.Name(name, ast.Load()))
    return Argument(name) if seen is None or not seen.type else Argument(name, seen.type, scalar=seen.scalar)


def _traced(scene: Scene, depth: int, name: str) -> bool:
    node = ast.Name(name, ast.Load())
    return bool(scene.traced_parts(depth, node)) or scene.see(depth, node) is None


def _passed(call: Located, parameters: list[str], wanted: list[str]) -> list[ast.expr] | None:
    """What a call passes for the wanted parameters."""
    if not isinstance(call.node, ast.Call) or any(isinstance(one, ast.Starred) for one in call.node.args):
        return None
    places = parameters
    given = len(call.node.args) + len(call.node.keywords)
    if isinstance(call.node.func, ast.Attribute) and len(parameters) == given + 1:
        places = parameters[1:]  # a method's first parameter is its object
    values: dict[str, ast.expr] = dict(zip(places, call.node.args, strict=False))
    values.update((one.arg, one.value) for one in call.node.keywords if one.arg is not None)
    return [values[name] for name in wanted] if all(name in values for name in wanted) else None
