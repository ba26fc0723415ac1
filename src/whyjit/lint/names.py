"""What a name means where it stands, by Python's rules of scope: only what surely is an import is told."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *_COMPREHENSIONS)


class Names:
    """The names of one file."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._bound: dict[ast.AST, dict[str, set[str]]] = {}

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node around each."""
        return {child: node for node in ast.walk(self._tree) for child in ast.iter_child_nodes(node)}

    def full(self, node: ast.AST) -> str:
        """The full name of what an expression names, if it surely was imported; else ""."""
        rest = ""
        while isinstance(node, ast.Attribute):
            rest = f".{node.attr}{rest}"
            node = node.value
        start = self._imported(node) if isinstance(node, ast.Name) else ""
        return start + rest if start else ""

    def _imported(self, node: ast.Name) -> str:
        if node.id in self._declared:
            return ""
        innermost = True
        for scope in self._around(node):
            meanings = self._bindings(scope).get(node.id)
            if meanings is not None and (innermost or not isinstance(scope, ast.ClassDef)):
                return next(iter(meanings)) if len(meanings) == 1 else ""
            innermost = innermost and isinstance(scope, _COMPREHENSIONS)
        return ""

    @cached_property
    def _declared(self) -> frozenset[str]:
        """Names that some function gives to another scope: their value may come from anywhere."""
        some = (node for node in ast.walk(self._tree) if isinstance(node, (ast.Global, ast.Nonlocal)))
        return frozenset(name for node in some for name in node.names)

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The scopes in which a node is evaluated, the innermost first."""
        inside = node
        while (around := self.parents.get(inside)) is not None:
            if isinstance(around, ast.comprehension) and inside is around.iter:
                owner = self.parents[around]
                if isinstance(owner, _COMPREHENSIONS) and owner.generators[0] is around:
                    around = owner  # what the first loop goes over is evaluated outside
            elif isinstance(around, _SCOPES) and _holds(around, inside):
                yield around
            inside = around

    def _bindings(self, scope: ast.AST) -> dict[str, set[str]]:
        """The names that a scope binds: to the full names of imports, and to "" where to something else."""
        if scope not in self._bound:
            found: dict[str, set[str]] = {}
            for name, meaning in _bound_in(scope):
                found.setdefault(name, set()).add(meaning)
            self._bound[scope] = found
        return self._bound[scope]


def _holds(scope: ast.AST, child: ast.AST) -> bool:
    """Whether a child of a scope's node is evaluated inside: decorators, defaults and bases are not."""
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return child in scope.body
    return not isinstance(child, ast.arguments)


def _bound_in(scope: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(scope, _COMPREHENSIONS):
        yield from (bound for one in scope.generators for part in ast.walk(one.target) for bound in _binds(part))
        return
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        yield from ((name, "") for name in parameters(scope.args))
    todo = _inside(scope)
    while todo:
        node = todo.pop()
        yield from _binds(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            todo += node.decorator_list
        elif isinstance(node, _COMPREHENSIONS):
            todo += [part for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]  # bound around it
        elif not isinstance(node, ast.Lambda):
            todo += ast.iter_child_nodes(node)


def _inside(scope: ast.AST) -> list[ast.AST]:
    return [child for child in ast.iter_child_nodes(scope) if _holds(scope, child)]


def _binds(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that a node itself binds."""
    match node:
        case ast.Import():
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        case ast.ImportFrom():
            start = "." * node.level + (f"{node.module}." if node.module else "")
            for alias in node.names:
                yield alias.asname or alias.name, start + alias.name
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name, ""
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, ""
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name, ""
        case _:
            pass


def parameters(given: ast.arguments) -> list[str]:
    """The names of all parameters, in their order."""
    some = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [one.arg for one in some if one is not None]
