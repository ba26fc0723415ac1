"""Finds, in the source of a loop body or a branch, the expression that makes one leaf of its result."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure import syntax
from whyjit.analyse.failure.rewrite import one_line
from whyjit.model.failure import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whyjit.model.scene import Place, Scene

Body = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_KEY = re.compile(r"\[(?P<index>-?\d+)\]|\[(?P<key>'[^']*'|\"[^\"]*\")\]|\.(?P<name>\w+)")
_ROUNDS = 6


class Source(NamedTuple):
    """A function's syntax, with the lines and name of its file."""

    node: Body
    file: str
    lines: Sequence[str]


class Found(NamedTuple):
    """An expression that makes a value. `whole` is False where the path into it could not be followed to its end."""

    node: ast.expr
    source: Source
    whole: bool = True

    def step(self) -> Step:
        """The expression as a step."""
        name = getattr(self.source.node, "name", "<lambda>")
        return Step("", one_line(self.node, self.source.lines), self.source.file, self.node.lineno, name)


def keys_of(path: str) -> list[int | str]:
    """A path such as `[1]['w'].x` as its keys."""
    keys: list[int | str] = []
    for match in _KEY.finditer(path):
        if match["index"] is not None:
            keys.append(int(match["index"]))
        else:
            keys.append(ast.literal_eval(match["key"]) if match["key"] is not None else match["name"])
    return keys


def function_source(scene: Scene, depth: int, node: ast.expr) -> Source | None:
    """The syntax of the function that an expression names, or is."""
    file = scene.points[depth].file
    lines = scene.lines(file)
    if isinstance(node, ast.Lambda):
        return Source(node, file, lines)
    if isinstance(node, ast.Call) and node.args:  # functools.partial(body, ...), jax.checkpoint(body)
        return function_source(scene, depth, node.args[0])
    place = scene.place(depth, node)
    return None if place is None else source_at(scene, place)


def source_at(scene: Scene, place: Place) -> Source | None:
    """The syntax of the function at a place."""
    lines = scene.lines(place.file)
    tree = syntax.module_of(lines)
    if tree is None:
        return None
    for part in ast.walk(tree):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([part.lineno, *(decorator.lineno for decorator in part.decorator_list)])
            if first == place.line and part.name == place.name.rpartition(".")[2]:
                return Source(part, place.file, lines)
        elif isinstance(part, ast.Lambda) and part.lineno == place.line and place.name.endswith("<lambda>"):
            return Source(part, place.file, lines)
    return None


def result(source: Source, keys: list[int | str]) -> Found | None:
    """The expression that makes the leaf of a function's result at this path."""
    if isinstance(source.node, ast.Lambda):
        return follow(source.node.body, keys, source)
    returned = returns(source)
    return follow(returned[-1], keys, source) if len(returned) == 1 else None


def returns(source: Source) -> list[ast.expr]:
    """What a function returns, in each of its `return` statements that return something."""
    return [part.value for part in own_statements(source.node) if isinstance(part, ast.Return) and part.value]


def own_statements(function: ast.AST) -> Iterator[ast.AST]:
    """The parts of a function, without those of functions and classes inside it."""
    todo = list(ast.iter_child_nodes(function))
    while todo:
        current = todo.pop()
        yield current
        if not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(current))


def follow(node: ast.expr, keys: list[int | str], source: Source) -> Found:
    """Follow a path into an expression, through displays and through names to what was assigned to them."""
    rest = list(keys)
    for _ in range(_ROUNDS * (len(keys) + 1)):
        inner = _element(node, rest[0], source.lines) if rest else None
        if inner is not None:
            node = inner
            rest.pop(0)
            continue
        assigned = _assigned(node, source, rest) if isinstance(node, ast.Name) else None
        if assigned is None:
            break
        node, rest = assigned
    return Found(node, source, whole=not rest)


def _element(node: ast.expr, key: int | str, lines: Sequence[str]) -> ast.expr | None:
    if isinstance(node, (ast.Tuple, ast.List)) and isinstance(key, int):
        return node.elts[key] if -len(node.elts) <= key < len(node.elts) else None
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return next((value for name, value in pairs if isinstance(name, ast.Constant) and name.value == key), None)
    if isinstance(node, ast.Call):
        return dict(parts_of(node, lines)).get(key)
    return None


def parts_of(node: ast.expr, lines: Sequence[str]) -> list[tuple[int | str, ast.expr]]:
    """The parts of a display, or of a call of a class whose fields can be read, by their keys."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return list(enumerate(node.elts))
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        constant = [(key.value, value) for key, value in pairs if isinstance(key, ast.Constant)]
        return [(key, value) for key, value in constant if isinstance(key, (int, str))]
    if not isinstance(node, ast.Call):
        return []
    named: list[tuple[int | str, ast.expr]] = [(one.arg, one.value) for one in node.keywords if one.arg is not None]
    fields = _fields(node.func, lines) if node.args else []
    return [*zip(fields, node.args, strict=False), *named]


def _fields(function: ast.expr, lines: Sequence[str]) -> list[str]:
    """The fields of a class of the same file, in the order of its parameters: a named tuple's or a dataclass's."""
    tree = syntax.module_of(lines) if isinstance(function, ast.Name) else None
    if tree is None or not isinstance(function, ast.Name):
        return []
    found = next((part for part in ast.walk(tree) if isinstance(part, ast.ClassDef) and part.name == function.id), None)
    body = [] if found is None else found.body
    return [part.target.id for part in body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)]


def _assigned(name: ast.Name, source: Source, rest: list[int | str]) -> tuple[ast.expr, list[int | str]] | None:
    """The expression last assigned to a name above its use. Unpacking adds a key to the path."""
    best: tuple[int, ast.expr, list[int | str]] | None = None
    for part in own_statements(source.node):
        if not isinstance(part, ast.Assign) or part.lineno > name.lineno or name in ast.walk(part):
            continue
        for target in part.targets:
            more = _unpacked(target, name.id)
            if more is not None and (best is None or part.lineno >= best[0]):
                best = (part.lineno, part.value, [*more, *rest])
    if best is None or (isinstance(best[1], ast.Name) and best[1].id in _parameters(source.node)):
        return None
    return best[1], best[2]


def _unpacked(target: ast.expr, name: str) -> list[int | str] | None:
    if isinstance(target, ast.Name):
        return [] if target.id == name else None
    if isinstance(target, (ast.Tuple, ast.List)):
        for at, part in enumerate(target.elts):
            inner = _unpacked(part, name)
            if inner is not None:
                return [at, *inner]
    return None


def _parameters(function: Body) -> set[str]:
    return {one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
