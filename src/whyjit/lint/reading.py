"""A file read for its hazards: full names of what is called, and the functions that are decorated with a jit."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from whyjit.lint.names import Names

_JIT = frozenset({"jax.jit", "jax.api.jit", "equinox.filter_jit"})
_PARTIAL = frozenset({"functools.partial"})
_LINE_END = re.compile(r"\r\n|\r|\n")


class Place(NamedTuple):
    """A hazard: where it stands (lines from 1, columns from 0), its code, and what will happen there."""

    line: int
    column: int
    code: str
    message: str


class Jitted(NamedTuple):
    """A function with a jit as its decorator: the parameters that are surely traced, and those that are static.

    A parameter with a default is not among the first: where it is left out, the default stays a Python value.
    """

    node: ast.FunctionDef
    traced: frozenset[str]
    static: frozenset[str]


class Module:
    """One file. Raises `SyntaxError` where it is no Python."""

    def __init__(self, text: str) -> None:
        self.source = text
        self.tree = _parsed(text)
        self._names = Names(self.tree)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around one, the innermost first."""
        current = self._names.parents.get(node)
        while current is not None:
            yield current
            current = self._names.parents.get(current)

    def name(self, node: ast.AST) -> str:
        """The full name of what an expression names, where it was imported; else ""."""
        return self._names.full(node)

    def is_jit(self, node: ast.AST) -> bool:
        """Whether an expression names `jax.jit`."""
        return self.name(node) in _JIT

    def place(self, node: ast.expr, code: str, message: str) -> Place:
        """A hazard at a node."""
        line = _LINE_END.split(self.source)[node.lineno - 1].encode()  # columns are counted in bytes
        return Place(node.lineno, len(line[: node.col_offset].decode()), code, message)

    def text(self, node: ast.expr) -> str:
        """A node's source on one line."""
        return " ".join((ast.get_source_segment(self.source, node) or "").split())

    @cached_property
    def jitted(self) -> tuple[Jitted, ...]:
        """The functions decorated with a jit of JAX's whose static parameters stand there."""
        found = (self._jitted(node) for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef))
        return tuple(one for one in found if one is not None)

    def _is_partial_jit(self, call: ast.Call) -> bool:
        return self.name(call.func) in _PARTIAL and bool(call.args) and self.name(call.args[0]) == "jax.jit"

    def _jitted(self, node: ast.FunctionDef) -> Jitted | None:
        # Those nearer to the function come first: what is no transformation of JAX's may pass it other arguments.
        for one in reversed(node.decorator_list):
            call = one if isinstance(one, ast.Call) else None
            if call is not None and (self.name(call.func) == "jax.jit" or self._is_partial_jit(call)):
                static = _statics(call, node)
            elif self.name(one) == "jax.jit":
                static = frozenset()
            elif self.name(call.func if call else one).startswith("jax."):
                continue
            else:
                return None
            return None if static is None else Jitted(node, _without_default(node) - static, static)
        return None


def _parsed(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a text's own, such as an escape that means nothing
            return ast.parse(text)
    except SyntaxError as fault:
        raise SyntaxError(f"line {fault.lineno or 1}: {fault.msg}") from fault
    except (ValueError, RecursionError, MemoryError) as fault:
        raise SyntaxError(f"line 1: {fault or 'it is nested too deeply'}") from fault


def _without_default(node: ast.FunctionDef) -> frozenset[str]:
    given = node.args
    positional = [part.arg for part in (*given.posonlyargs, *given.args)]
    names = positional[: len(positional) - len(given.defaults)]
    names = names[1:] if names and names[0] in ("self", "cls") else names
    named = (part.arg for part, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None)
    return frozenset((*names, *named))


def _statics(call: ast.Call, node: ast.FunctionDef) -> frozenset[str] | None:
    """The names of the static parameters; None where they are not written out."""
    found: set[str] = set()
    positional = [part.arg for part in (*node.args.posonlyargs, *node.args.args)]
    if any(isinstance(part, ast.Starred) for part in call.args):
        return None
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        if keyword.arg not in ("static_argnames", "static_argnums"):
            continue
        values = _constants(keyword.value)
        if values is None:
            return None
        for value in values:
            if isinstance(value, str):
                found.add(value)
            elif -len(positional) <= value < len(positional):
                found.add(positional[value])
    return frozenset(found)


def _constants(node: ast.expr) -> list[str | int] | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    values = value if isinstance(value, (tuple, list)) else [value]
    return list(values) if all(isinstance(one, (str, int)) for one in values) else None


def parts(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Nodes and everything inside them, in the order in which they are written."""
    todo = [nodes] if isinstance(nodes, ast.AST) else list(nodes)[::-1]
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(list(ast.iter_child_nodes(current))))


def own_parts(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Nodes and what is inside them, without what is inside the functions, lambdas and classes among them."""
    todo = [nodes] if isinstance(nodes, ast.AST) else list(nodes)[::-1]
    while todo:
        current = todo.pop()
        yield current
        if not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(reversed(list(ast.iter_child_nodes(current))))


def read(text: str) -> Module | None:
    """A file; None where it never mentions JAX. Raises `SyntaxError` where it is no Python."""
    return Module(text) if "jax" in text else None
