"""Which names a stretch of a function reads and binds, in the order in which Python does it.

The analysis errs to one side: a name counts as read where it may be, and as bound only where it surely is. Names that
belong to functions, lambdas and comprehensions inside are theirs; what those read from outside counts as read where
they are made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


class Flow(NamedTuple):
    """`early`: names that may be read before the stretch has bound them. `bound`: names that are bound after it.

    `writes`: all names that it binds somewhere. `ends`: whether it always leaves the function.
    """

    early: frozenset[str]
    bound: frozenset[str]
    writes: frozenset[str]
    ends: bool


def flow(statements: Sequence[ast.stmt], bound: Iterable[str] = ()) -> Flow:
    """The reads and writes of statements of one function, where the names `bound` are bound already."""
    walk = _Walk()
    after, ends = walk.block(statements, frozenset(bound))
    return Flow(frozenset(walk.early), after, writes(statements), ends)


def reads(node: ast.AST) -> frozenset[str]:
    """The names an expression or statement reads from around it."""
    if isinstance(node, ast.Lambda):
        return _union(node.args) | (reads(node.body) - _parameters(node.args))
    if isinstance(node, _FUNCTIONS):
        outside = frozenset().union(*map(reads, node.decorator_list), _union(node.args))
        inside = frozenset().union(*map(reads, node.body)) - _parameters(node.args)
        return outside | (inside - (writes(node.body) - _declared(node)))
    if isinstance(node, _COMPREHENSIONS):
        own = frozenset(
            name.id
            for generator in node.generators
            for name in ast.walk(generator.target)
            if isinstance(name, ast.Name)
        )
        return _union(node) - own
    if isinstance(node, ast.Name):
        return frozenset({node.id} if isinstance(node.ctx, ast.Load) else ())
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return frozenset({node.target.id}) | reads(node.value)
    return _union(node)


def writes(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that nodes bind in the function they stand in."""
    found: set[str] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, _COMPREHENSIONS):
            found |= {part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr)}
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        todo.extend(ast.iter_child_nodes(node))
    return frozenset(found)


class Around(NamedTuple):
    """A statement's surroundings: names `bound` before it in its function, and names `live`, read after it."""

    bound: frozenset[str]
    live: frozenset[str]


def around(function: ast.FunctionDef, statement: ast.stmt) -> Around:
    """What a function has bound when it comes to one of its statements, and what it may read afterwards."""
    path = _path(function, statement)
    bound = _parameters(function.args)
    for owner, block, at in path:
        bound = flow(block[:at], bound | _bound_by(owner)).bound
    late = frozenset[str]()
    written: frozenset[str] = frozenset()
    for owner, block, at in reversed(path):
        rest = flow(block[at + 1 :], written)
        late |= rest.early
        written |= rest.bound
        if isinstance(owner, _LOOPS):
            late |= flow([owner]).early  # its next turn
        if isinstance(owner, (ast.Try, ast.TryStar)):
            late |= reads(owner)
        if not isinstance(owner, (*_FUNCTIONS, ast.With, ast.If)):
            written = frozenset()
    kept = frozenset().union(*(reads(part) for part in _closures(function, statement)))
    return Around(bound, late | kept)


class _Walk:
    """Goes through statements in their order."""

    def __init__(self) -> None:
        self.early: set[str] = set()

    def block(self, statements: Iterable[ast.stmt], bound: frozenset[str]) -> tuple[frozenset[str], bool]:
        """The names bound after a block, and whether it always leaves the function."""
        for statement in statements:
            bound, ends = self.statement(statement, bound)
            if ends:
                return bound, True
        return bound, False

    def read(self, node: ast.AST | None, bound: frozenset[str]) -> None:
        if node is not None:
            self.early |= reads(node) - bound

    def statement(self, node: ast.stmt, bound: frozenset[str]) -> tuple[frozenset[str], bool]:
        """The same, of one statement."""
        if isinstance(node, ast.If):
            self.read(node.test, bound)
            bound |= writes([node.test])
            yes, yes_ends = self.block(node.body, bound)
            no, no_ends = self.block(node.orelse, bound)
            if yes_ends or no_ends:
                return (no if yes_ends else yes), yes_ends and no_ends
            return yes & no, False
        if isinstance(node, _LOOPS):
            self.read(node.test if isinstance(node, ast.While) else node.iter, bound)
            own = frozenset() if isinstance(node, ast.While) else writes([node.target])
            self.block(node.body, bound | own)
            self.block(node.orelse, bound)
            return bound, False
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self.read(item.context_expr, bound)
                bound |= writes([item])
            return self.block(node.body, bound)
        if isinstance(node, (ast.Try, ast.TryStar, ast.Match, ast.ClassDef)):
            # Which part of it runs is open.
            self.read(node, bound)
            return bound | ({node.name} if isinstance(node, ast.ClassDef) else frozenset()), False
        self.read(node, bound)
        return bound | writes([node]), isinstance(node, (ast.Return, ast.Raise))


def _path(function: ast.FunctionDef, statement: ast.stmt) -> list[tuple[ast.AST, list[ast.stmt], int]]:
    """The blocks from the function's own down to the one that holds a statement: owner, block, and place in it."""
    found = _search(function, statement)
    assert found is not None, "the statement is not one of the function's"  # noqa: S101
    return found


def _search(owner: ast.AST, statement: ast.stmt) -> list[tuple[ast.AST, list[ast.stmt], int]] | None:
    for name in _BLOCKS:
        block = getattr(owner, name, [])
        for at, part in enumerate(block):
            if part is statement:
                return [(owner, block, at)]
            inside = _search(part, statement)
            if inside is not None:
                return (
                    inside if isinstance(part, (ast.ExceptHandler, ast.match_case)) else [(owner, block, at), *inside]
                )
    return None


def _bound_by(owner: ast.AST) -> frozenset[str]:
    """What a compound statement binds before its block."""
    if isinstance(owner, (ast.For, ast.AsyncFor)):
        return writes([owner.target])
    if isinstance(owner, (ast.With, ast.AsyncWith)):
        return writes(owner.items)
    return frozenset()


def _closures(function: ast.FunctionDef, statement: ast.stmt) -> list[ast.AST]:
    """The functions and lambdas in a function that were made before a statement and may be called after it."""
    return [
        part
        for part in ast.walk(function)
        if part is not function and isinstance(part, (*_FUNCTIONS, ast.Lambda)) and part.lineno < statement.lineno
    ]


def _parameters(arguments: ast.arguments) -> frozenset[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return frozenset(one.arg for one in every if one is not None)


def _declared(function: ast.AST) -> frozenset[str]:
    """The names that a function takes from around it and may bind there."""
    return frozenset(
        name for part in ast.walk(function) if isinstance(part, (ast.Nonlocal, ast.Global)) for name in part.names
    )


def _union(node: ast.AST) -> frozenset[str]:
    return frozenset().union(*map(reads, ast.iter_child_nodes(node)))
