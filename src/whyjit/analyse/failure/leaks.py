"""How a traced value got out of its trace: where it was made, and which statement kept it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import structs

from whyjit.analyse.failure import syntax
from whyjit.analyse.failure.results import own_statements
from whyjit.analyse.failure.rewrite import one_line
from whyjit.model.failure import Leak, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whyjit.model.scene import Leaked, Scene

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_CACHES = frozenset({"cache", "lru_cache", "cached_property"})
_KEEPERS = frozenset({"append", "add", "extend", "insert", "appendleft", "update", "setdefault", "put"})


def leak_from(scene: Scene, leaked: Leaked) -> Leak:
    """What can be said about a leak."""
    read = syntax.expression(leaked.read)
    name = _last_name(read) if read is not None else ""
    function, lines, file = _function(scene, leaked)
    if function is None:
        return _by_name(scene, leaked, name)
    cached = _cached(function, lines, file, leaked)
    if cached is not None:
        return cached
    owner = leaked.function or getattr(function, "name", "")
    stores = list(_stores(function))
    line = leaked.made_span.line if leaked.made_span is not None else leaked.made.line if leaked.made is not None else 0
    chosen = _choose(stores, name, line, lines, leaked)
    if chosen is None:
        return Leak(owner, leaked.made)
    statement, stored = chosen
    step = Step("", one_line(statement, lines), file, statement.lineno, owner)
    return Leak(owner, _unpacked(leaked.made, statement, lines), one_line(stored, lines), step)


def _unpacked(made: Step | None, statement: ast.stmt, lines: Sequence[str]) -> Step | None:
    """What made the value where JAX's last operation took it apart: `a, b = f(x)` stands for `f(x)`."""
    if made is None or not isinstance(statement, ast.Assign):
        return made
    targets = [one_line(target, lines) for target in statement.targets]
    return structs.replace(made, source=one_line(statement.value, lines)) if made.source in targets else made


def _cached(function: Function, lines: Sequence[str], file: str, leaked: Leaked) -> Leak | None:
    """A value that was made in a function whose results Python keeps."""
    for decorator in getattr(function, "decorator_list", []):
        name = ast.unparse(decorator).partition("(")[0].rpartition(".")[2]
        if name in _CACHES and not isinstance(function, ast.Lambda):
            step = Step("", f"@{one_line(decorator, lines)}", file, decorator.lineno, function.name)
            return Leak(leaked.function or function.name, leaked.made, f"the cache of {function.name}", step)
    return None


def _by_name(scene: Scene, leaked: Leaked, name: str) -> Leak:
    """The only function in the file that stores something under the name the value was read from."""
    unknown = Leak(leaked.function, leaked.made)
    if not name or not scene.points:
        return unknown
    file = scene.points[0].file
    lines = scene.lines(file)
    tree = syntax.module_of(lines)
    if tree is None:
        return unknown
    found = [
        (part, statement, stored)
        for part in ast.walk(tree)
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))
        for statement, stored, _ in _stores(part, own=True)
        if _last_name(stored) == name
    ]
    if len(found) != 1:
        return unknown
    function, statement, stored = found[0]
    step = Step("", one_line(statement, lines), file, statement.lineno, function.name)
    return Leak(function.name, leaked.made, one_line(stored, lines), step)


def _last_name(read: ast.expr) -> str:
    while isinstance(read, ast.Subscript):
        read = read.value
    if isinstance(read, ast.Attribute):
        return read.attr
    return read.id if isinstance(read, ast.Name) else ""


def _function(scene: Scene, leaked: Leaked) -> tuple[Function | None, Sequence[str], str]:
    """The function the value was made in, else the one that was traced."""
    places = [(leaked.made_file, leaked.made_span.line if leaked.made_span is not None else 0)]
    places.append((leaked.file, leaked.line))
    for file, line in places:
        if not file or not line:
            continue
        lines = scene.lines(file)
        tree = syntax.module_of(lines)
        if tree is None:
            continue
        around = [part for part in ast.walk(tree) if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
        inside = [part for part in around if _first(part) <= line <= (part.end_lineno or part.lineno)]
        if inside:
            return max(inside, key=lambda part: part.lineno), lines, file
    return None, (), ""


def _first(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def _stores(function: Function, *, own: bool = False) -> Iterator[tuple[ast.stmt, ast.expr, ast.expr]]:
    """Statements that keep a value beyond the call: the statement, where it keeps it, and the value.

    `own` leaves out the functions inside.
    """
    parts = list(own_statements(function) if own else ast.walk(function))
    outer = {name for part in parts if isinstance(part, (ast.Global, ast.Nonlocal)) for name in part.names}
    for part in parts:
        if isinstance(part, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and part.value is not None:
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            for target in targets:
                for single in _singles(target):
                    if isinstance(single, (ast.Attribute, ast.Subscript)) or (
                        isinstance(single, ast.Name) and single.id in outer
                    ):
                        yield part, single, part.value
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            call = part.value
            if isinstance(call.func, ast.Attribute) and call.func.attr in _KEEPERS and call.args:
                yield part, call.func.value, call.args[-1]


def _singles(target: ast.expr) -> list[ast.expr]:
    return list(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _choose(
    stores: list[tuple[ast.stmt, ast.expr, ast.expr]], name: str, line: int, lines: Sequence[str], leaked: Leaked
) -> tuple[ast.stmt, ast.expr] | None:
    """The store that fits: by the name the value was read from, by the line that made it, by the value stored."""
    named = [one for one in stores if name and _last_name(one[1]) == name]
    for pool in (named, stores):
        here = [one for one in pool if one[0].lineno <= line <= (one[0].end_lineno or one[0].lineno)]
        if here:
            return here[0][:2]
    if named:
        return named[0][:2]
    made = leaked.made.source if leaked.made is not None else ""
    holding = [one for one in stores if made and made in one_line(one[2], lines)]
    if holding:
        return holding[0][:2]
    return stores[0][:2] if len(stores) == 1 else None
