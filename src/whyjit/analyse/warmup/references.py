"""How a jitted function is reached by name: the jit of it at the top level of a module of the program's."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whyjit.model.recording import Function

# What takes a function and gives one that is known by the same code.
_TRANSFORMATIONS = frozenset(
    {"grad", "value_and_grad", "vmap", "partial", "checkpoint", "remat", "jacfwd", "jacrev", "hessian"}
)


class Home(NamedTuple):
    """Where the functions of a file are found: the module, whether it is the program itself, and its source.

    `reason` says why there is no source that can be relied on, or is "".
    """

    module: str
    program: bool
    source: str
    reason: str = ""


class Reference(NamedTuple):
    """A name in a module, and by what it is jitted; or `reason`, why there is none."""

    module: str = ""
    name: str = ""
    jit: str = ""
    reason: str = ""


def reference(function: Function, homes: Mapping[str, Home]) -> Reference:
    """The one name that a jit of the function has. `homes` are by the functions' files."""
    home = homes.get(function.file) or Home("", False, "", "its file is not known")
    if home.reason:
        return Reference(reason=home.reason)
    if "<locals>" in function.qualname:
        outer = function.qualname.partition(".<locals>")[0]
        return Reference(reason=f"it is made inside `{outer}`; at a module's top level it could")
    try:
        tree = ast.parse(home.source)
    except SyntaxError:
        return Reference(reason="its file cannot be parsed")
    found: list[Reference] = []
    jit = _decorated_by(tree, function.qualname.split("."))
    if jit:
        found.append(Reference(home.module, function.qualname, jit))
    for other in homes.values():
        found += _bound_in(other, home, function)
    if len(found) > 1:
        names = ", ".join(f"`{one.name}`" for one in found)
        return Reference(reason=f"several names hold a jit of it ({names}), and which of them was called is not known")
    if found:
        return found[0]
    if "<lambda>" in function.qualname:
        return Reference(reason="it is a lambda that no name at the module's top level holds")
    return Reference(reason="no jit of it was found at its module's top level")


def _bound_in(here: Home, home: Home, function: Function) -> Iterator[Reference]:
    """The names at the top level of a module that hold a jit of a function whose home is given."""
    try:
        tree = ast.parse("" if here.reason else here.source)
    except SyntaxError:
        return
    imported = _imported(tree)
    bound = Counter(name for statement in tree.body for name in _names_bound(statement))
    for statement in tree.body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            continue
        names = _names_bound(statement)
        if len(names) != 1 or bound[names[0]] != 1:  # bound again, it may hold something else by then
            continue
        node: ast.expr = statement.value
        while isinstance(node, ast.Call) and node.args and not _jit_in(node.func):
            node = node.args[0]
        if isinstance(node, ast.Call) and node.args and _is(node.args[0], function, home, here, imported):
            yield Reference(here.module, names[0], _jit_in(node.func))


def _names_bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _imported(tree: ast.Module) -> dict[str, str]:
    """What the names are that a module imports at its top level: `np` is `numpy`, `loss` is `helper.loss`."""
    found: dict[str, str] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            found.update((each.asname, each.name) for each in statement.names if each.asname)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            found.update((each.asname or each.name, f"{statement.module}.{each.name}") for each in statement.names)
    return found


def _is(taken: ast.expr, function: Function, home: Home, here: Home, imported: Mapping[str, str]) -> bool:
    """Whether what a jit takes is the function, or a transformation of it."""
    while isinstance(taken, ast.Call) and taken.args and _last_name(taken.func) in _TRANSFORMATIONS:
        taken = taken.args[0]
    if isinstance(taken, ast.Lambda):
        return here.module == home.module and function.qualname == "<lambda>" and taken.lineno == function.line
    name = ast.unparse(taken)
    if here.module == home.module and name == function.qualname:
        return True
    first, dot, rest = name.partition(".")
    return f"{imported.get(first, first)}{dot}{rest}" == f"{home.module}.{function.qualname}"


def _decorated_by(tree: ast.Module, parts: list[str]) -> str:
    body: list[ast.stmt] = tree.body
    for part in parts[:-1]:
        found = next((node for node in body if isinstance(node, ast.ClassDef) and node.name == part), None)
        if found is None:
            return ""
        body = found.body
    decorators = [
        decorator
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name == parts[-1]
        for decorator in node.decorator_list
    ]
    return next(filter(None, map(_jit_in, decorators)), "")


def _jit_in(node: ast.expr) -> str:
    """The name of the jit that an expression is, calls, or makes a partial of; or ""."""
    if isinstance(node, ast.Call):
        return _jit_in(node.func) or next(filter(None, map(_jit_in, node.args[:1])), "")
    name = _last_name(node)
    return name if name in ("jit", "filter_jit") else ""


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else str(getattr(node, "id", ""))
