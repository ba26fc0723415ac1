"""Finds arguments by reading the source, where JAX kept no operations: in `vmap` and `grad` outside any jit.

Goes from the failing expression back through assignments to the parameters of its function, and on to the expressions
that the user's own callers passed. It may name an argument too many where code assigns a name on several paths.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.locate import Located, locate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.model.scene import Point, Scene

_STATIC = frozenset({"shape", "ndim", "dtype", "size"})


class Read(NamedTuple):
    """The parameters that a value depends on, and the function they belong to."""

    function: str
    parameters: tuple[str, ...]


def read_arguments(scene: Scene, located: Located, nodes: Iterable[ast.expr]) -> Read | None:
    """The parameters of the outermost function of the user's that the source leads to from these expressions."""
    wanted = set[str]().union(*(_names(node) for node in nodes))
    current: Located | None = located
    depth = 0
    while current is not None:
        function = _enclosing(current)
        if function is None:
            return None
        parameters = _parameters(function)
        found = _trace_back(function, current.node, wanted) & set(parameters)
        traced = [name for name in parameters if name in found and _traced(scene, depth, name)]
        point = scene.points[depth]
        if not point.direct or depth + 1 >= len(scene.points):
            return Read(point.function, tuple(traced)) if traced else None
        call = locate(scene.points[depth + 1], scene.lines(scene.points[depth + 1].file))
        passed = _passed(call, parameters, traced, point)
        if call is None or passed is None:
            return Read(point.function, tuple(traced)) if traced else None
        wanted, current, depth = passed, call, depth + 1
    return None


def _enclosing(located: Located) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    return located.function


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
        (targets, value)
        for part in ast.walk(function)
        for targets, value in _assignments(part)
        if loops or part.lineno <= stop.lineno
    ]
    grown = True
    while grown:
        grown = False
        for targets, value in assignments:
            if known & targets and not value <= known:
                known |= value
                grown = True
    return known


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


def _traced(scene: Scene, depth: int, name: str) -> bool:
    node = ast.Name(name, ast.Load())
    return bool(scene.traced_parts(depth, node)) or scene.see(depth, node) is None


def _passed(call: Located | None, parameters: list[str], wanted: list[str], point: Point) -> set[str] | None:
    """The names in what a call passes for the wanted parameters."""
    if call is None or not isinstance(call.node, ast.Call):
        return None
    if any(isinstance(one, ast.Starred) for one in call.node.args):
        return None
    given: dict[str, ast.expr] = {}
    places = parameters
    if (
        isinstance(call.node.func, ast.Attribute)
        and len(parameters) == len(call.node.args) + len(call.node.keywords) + 1
    ):
        places = parameters[1:]  # a method's first parameter is its object
    given.update(zip(places, call.node.args, strict=False))
    given.update((one.arg, one.value) for one in call.node.keywords if one.arg is not None)
    found: set[str] = set()
    for name in wanted:
        if name not in given:
            return None
        found |= _names(given[name])
    return found
