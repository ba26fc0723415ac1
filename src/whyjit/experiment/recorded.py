"""In the process of an experiment: arguments made again from a recorded call's signature, without its data."""

from __future__ import annotations

import ast
import enum
import inspect
from typing import Any

from whyjit.errors import WhyjitError
from whyjit.experiment.annotated import hints_of
from whyjit.jaxlink import stages
from whyjit.jaxlink.abstract import array_type
from whyjit.model.signature import Leaf, Node, Signature, Static

_SCALARS = {"f": 1.0, "b": True, "c": 1j}
_SEQUENCES = {"tuple": tuple, "list": list}


def arguments(function: Any, signature: Signature) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with the signature's structure, types and statics.

    Containers of Python's own and plain static values can be made again; for anything else the message names it.
    """
    work = _Work(function, signature)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, form in signature.form.parameters:
        if form == "positional":
            args.append(work.value(name))
        elif form == "keyword":
            kwargs[name] = work.value(name)
    rest = 0
    while work.has(f"args[{rest}]"):
        args.append(work.value(f"args[{rest}]"))
        rest += 1
    left = work.unused()
    if left:
        raise WhyjitError(f"the recorded argument {left} cannot be made again; give the arguments with --args")
    return tuple(args), kwargs


class _Work:
    def __init__(self, function: Any, signature: Signature) -> None:
        self._leaves = {leaf.path: leaf for leaf in signature.leaves}
        self._nodes = {node.path: node for node in signature.nodes}
        self._statics = {static.path: static for static in signature.statics}
        self._hints = hints_of(function)
        for name, parameter in _parameters(function).items():
            if isinstance(parameter.default, enum.Enum):
                self._hints.setdefault(name, type(parameter.default))
        self._used: set[str] = set()

    def has(self, path: str) -> bool:
        return path in self._leaves or path in self._nodes or path in self._statics

    def unused(self) -> str:
        return next((path for path in (*self._leaves, *self._statics) if path not in self._used), "")

    def value(self, path: str) -> Any:
        self._used.add(path)
        if path in self._leaves:
            return _leaf(self._leaves[path])
        if path in self._statics:
            return recorded_static(self._statics[path], self._hints.get(path))
        if path in self._nodes:
            return self._container(self._nodes[path])
        raise WhyjitError(f"the recording does not say what {path} was; give the arguments with --args")

    def _container(self, node: Node) -> Any:
        if node.container == "None":
            return None
        if node.container in _SEQUENCES:
            return _SEQUENCES[node.container](self.value(node.path + key) for key in node.keys)
        if node.container == "dict":
            return {ast.literal_eval(key[1:-1]): self.value(node.path + key) for key in node.keys}
        raise WhyjitError(
            f"{node.path} was a {node.container}, which cannot be made again from a recording; give the arguments "
            "with --args"
        )


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    """The parameters of a function, as far as they can be read."""
    signature = stages.signature_of(function)
    return {} if signature is None else dict(signature.parameters)


def _leaf(leaf: Leaf) -> Any:
    if leaf.holder == "python":
        return _SCALARS.get(leaf.dtype[0], 1)
    if leaf.holder == "other":
        raise WhyjitError(f"{leaf.path} was a {leaf.dtype}, which JAX does not take; give the arguments with --args")
    return array_type(leaf.shape, leaf.dtype, weak=leaf.weak_type)


def recorded_static(static: Static, hint: Any = None) -> Any:
    """A static value from its text: a literal of Python's, or a member of the enum that the annotation names."""
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        for member in hint:
            if static.text in (repr(member), str(member), f"{hint.__name__}.{member.name}"):
                return member
    try:
        value = ast.literal_eval(static.text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = _NOTHING
    if value is _NOTHING or type(value).__name__ != static.type.rpartition(".")[2]:
        raise WhyjitError(
            f"the static {static.path} was {static.text}, which cannot be made again from a recording; give the "
            "arguments with --args"
        )
    return value


_NOTHING = object()
