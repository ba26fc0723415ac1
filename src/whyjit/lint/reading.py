"""A file read for its hazards: full names of what is called, and the functions that are decorated with a jit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, ParentNodeProvider, PositionProvider, QualifiedNameProvider

_JIT = frozenset({"jax.jit", "jax.api.jit", "equinox.filter_jit"})
_PARTIAL = frozenset({"functools.partial"})


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

    node: cst.FunctionDef
    traced: frozenset[str]
    static: frozenset[str]


@dataclass(frozen=True)
class Module:
    """One file."""

    wrapper: MetadataWrapper

    @property
    def tree(self) -> cst.Module:
        """Its concrete syntax."""
        return self.wrapper.module

    @cached_property
    def _parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        return self.wrapper.resolve(ParentNodeProvider)

    @cached_property
    def _places(self) -> Mapping[cst.CSTNode, CodeRange]:
        return self.wrapper.resolve(PositionProvider)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around one, the innermost first."""
        current = self._parents.get(node)
        while current is not None:
            yield current
            current = self._parents.get(current)

    def name(self, node: cst.CSTNode) -> str:
        """The full name of what an expression names, where it was imported; else ""."""
        found = self.wrapper.resolve(QualifiedNameProvider).get(node)
        names = (found() if callable(found) else found) or ()
        known = {one.name for one in names if one.source.name == "IMPORT"}
        return known.pop() if len(known) == 1 and len(names) == 1 else ""

    def is_jit(self, node: cst.CSTNode) -> bool:
        """Whether an expression names `jax.jit`."""
        return self.name(node) in _JIT

    def place(self, node: cst.CSTNode, code: str, message: str) -> Place:
        """A hazard at a node."""
        start = self._places[node].start
        return Place(start.line, start.column, code, message)

    def text(self, node: cst.CSTNode) -> str:
        """A node's source on one line."""
        return " ".join(self.tree.code_for_node(node).split())

    @cached_property
    def jitted(self) -> tuple[Jitted, ...]:
        """The functions decorated with a jit of JAX's whose static parameters stand there."""
        found = (self._jitted(node) for node in parts(self.tree) if isinstance(node, cst.FunctionDef))
        return tuple(one for one in found if one is not None)

    def _is_partial_jit(self, call: cst.Call) -> bool:
        return self.name(call.func) in _PARTIAL and bool(call.args) and self.name(call.args[0].value) == "jax.jit"

    def _jitted(self, node: cst.FunctionDef) -> Jitted | None:
        for decorator in node.decorators:
            one = decorator.decorator
            call = one if isinstance(one, cst.Call) else None
            if call is not None and (self.name(call.func) == "jax.jit" or self._is_partial_jit(call)):
                static = _statics(call, node)
            elif self.name(one) == "jax.jit":
                static = frozenset()
            else:
                continue
            if static is None:
                return None
            given = (*node.params.params, *node.params.kwonly_params)
            names = [part.name.value for part in given if part.default is None]
            own = frozenset(names[1:] if names and names[0] in ("self", "cls") else names)
            return Jitted(node, own - static, static)
        return None


def _statics(call: cst.Call, node: cst.FunctionDef) -> frozenset[str] | None:
    """The names of the static parameters; None where they are not written out."""
    found: set[str] = set()
    positional = [part.name.value for part in node.params.params]
    for argument in call.args:
        keyword = argument.keyword.value if argument.keyword is not None else ""
        if argument.star:
            return None
        if keyword not in ("static_argnames", "static_argnums"):
            continue
        values = _constants(argument.value)
        if values is None:
            return None
        for value in values:
            if isinstance(value, str):
                found.add(value)
            elif -len(positional) <= value < len(positional):
                found.add(positional[value])
    return frozenset(found)


def _constants(node: cst.BaseExpression) -> list[str | int] | None:
    if isinstance(node, (cst.Tuple, cst.List)):
        parts = [_constants(element.value) for element in node.elements]
        return None if any(part is None for part in parts) else [value for part in parts for value in part or ()]
    if isinstance(node, cst.SimpleString) and isinstance(node.evaluated_value, str):
        return [node.evaluated_value]
    if isinstance(node, cst.Integer):
        return [node.evaluated_value]
    return None


def parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and everything inside it."""
    todo = [node]
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(current.children))


def own_parts(function: cst.FunctionDef) -> Iterator[cst.CSTNode]:
    """What is inside a function's body, without the functions in it."""
    todo: list[cst.CSTNode] = [function.body]
    while todo:
        current = todo.pop()
        yield current
        if not isinstance(current, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            todo.extend(reversed(current.children))


def read(text: str) -> Module | None:
    """A file; None where it never mentions JAX. Raises `SyntaxError` where it is no Python."""
    if "jax" not in text:
        return None
    try:
        return Module(MetadataWrapper(cst.parse_module(text)))
    except cst.ParserSyntaxError as fault:
        raise SyntaxError(f"line {fault.raw_line}: {fault.message}") from fault
