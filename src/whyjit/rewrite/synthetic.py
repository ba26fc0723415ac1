"""Arguments made up from a recorded signature: right in every type and structure, with values of our own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.model.arguments import KeptCall, Made, Node, Plain, Value

if TYPE_CHECKING:
    from whyjit.model.signature import Leaf, Signature, Static
    from whyjit.model.signature import Node as Level

_PLAIN_TYPES = frozenset({"int", "float", "bool", "complex", "str", "bytes", "NoneType", "tuple"})
_SPECIAL = frozenset({"inf", "-inf", "nan"})


class _NotMade(Exception):  # noqa: N818 - it ends the making of one call, and is not shown
    """What cannot be made up, and why."""


def describe(signature: Signature) -> KeptCall | str:
    """Arguments of the recorded types, or what of them cannot be made up. Static values are the recorded ones."""
    maker = _Maker(signature)
    try:
        return maker.call()
    except _NotMade as reason:
        return str(reason)


class _Maker:
    def __init__(self, signature: Signature) -> None:
        self._signature = signature
        self._levels: dict[str, Level] = {node.path: node for node in signature.nodes}
        self._leaves: dict[str, Leaf] = {leaf.path: leaf for leaf in signature.leaves}
        self._statics: dict[str, Static] = {static.path: static for static in signature.statics}

    def call(self) -> KeptCall:
        positional: list[Value] = []
        named: list[tuple[str, Value]] = []
        for name, form in self._signature.form.parameters:
            if form == "positional":
                positional.append(self._value(name))
            elif form == "keyword":
                named.append((_keyword(name), self._value(name)))
        return KeptCall((*positional, *self._rest()), tuple(named), kept=False)

    def _rest(self) -> list[Value]:
        """What `*args` takes up. Its node has a name that is no parameter's."""
        names = {name for name, _ in self._signature.form.parameters}
        first = self._signature.nodes[0] if self._signature.nodes else None
        if first is None or first.path in names or first.container != "tuple" or "[" in first.path:
            return []
        return [self._value(first.path + key) for key in first.keys]

    def _value(self, path: str) -> Value:
        static = self._statics.get(path)
        if static is not None:
            return _static(static)
        level = self._levels.get(path)
        if level is not None:
            return self._node(level)
        leaf = self._leaves.get(path)
        if leaf is None or leaf.holder == "other":
            raise _NotMade(f"`{path}` is nothing that JAX takes")
        return Made(leaf.shape, leaf.dtype, leaf.weak_type, "jax" if leaf.holder == "abstract" else leaf.holder)

    def _node(self, level: Level) -> Value:
        if level.container == "None":
            return Plain("None")
        if level.container not in {"tuple", "list", "dict"}:
            raise _NotMade(f"`{level.path}` is a {level.container}")
        children = tuple(self._value(level.path + key) for key in level.keys)
        if level.container == "dict":
            return Node("dict", children, tuple(Plain(key[1:-1]) for key in level.keys))
        return Node("tuple" if level.container == "tuple" else "list", children)


def _keyword(name: str) -> str:
    """The keyword of a parameter; one that `**kwargs` takes up is named as its item."""
    _, bracket, key = name.partition("[")
    return str(ast.literal_eval(key[:-1])) if bracket else name


def _static(static: Static) -> Plain:
    if static.type in _PLAIN_TYPES:
        try:
            ast.literal_eval(static.text)
        except (ValueError, SyntaxError):
            pass
        else:
            return Plain(static.text)
        if static.text in _SPECIAL:
            return Plain(static.text)
    raise _NotMade(f"the value of the static `{static.path}` is not known whole ({static.text})")
