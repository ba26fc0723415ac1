"""Reads the values that expressions name, without running anything of the user's.

Names, stored attributes and items of built-in containers are read; calls, operators, properties and `__getattr__` are
not. What cannot be read so is `UNREAD`.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

from whyjit.jaxlink.tracers import is_tracer

UNREAD: Any = object()
# Attributes of a tracer that belong to its type and are plain Python values under tracing.
_STATIC = frozenset({"shape", "ndim", "dtype", "size", "aval", "weak_type", "sharding"})
_PLAIN_ITEMS: tuple[Any, ...] = (dict.__getitem__, list.__getitem__, tuple.__getitem__)  # pyright: ignore[reportUnknownMemberType]
_DEPTH = 6
_WIDTH = 2000


class Names(Mapping[str, Any]):
    """The names that code in a frame can see: locals and closure variables, globals, builtins."""

    def __init__(self, frame: types.FrameType) -> None:
        self._spaces = (frame.f_locals, frame.f_globals, frame.f_builtins)

    def __getitem__(self, name: str) -> Any:
        """The value of a name."""
        for space in self._spaces:
            if name in space:
                return space[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter({name for space in self._spaces for name in space})

    def __len__(self) -> int:
        return len({name for space in self._spaces for name in space})


def read(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of an expression, or `UNREAD`."""
    if isinstance(node, ast.Name):
        return names.get(node.id, UNREAD)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute):
        return _attribute(read(node.value, names), node.attr)
    if isinstance(node, ast.Subscript):
        return _item(read(node.value, names), read(node.slice, names))
    if isinstance(node, ast.NamedExpr):
        return read(node.target, names)
    if isinstance(node, (ast.Tuple, ast.List)):
        parts = [read(part, names) for part in node.elts]
        if any(part is UNREAD for part in parts):
            return UNREAD
        return tuple(parts) if isinstance(node, ast.Tuple) else parts
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = read(node.operand, names)
        return -value if type(value) in (int, float) else UNREAD
    return UNREAD


def _attribute(owner: Any, name: str) -> Any:
    if owner is UNREAD or is_tracer(owner):
        return UNREAD
    if isinstance(owner, types.ModuleType):
        return vars(owner).get(name, UNREAD)
    found = inspect.getattr_static(owner, name, UNREAD)
    if found is UNREAD:
        return UNREAD
    kind: Any = type(found)
    if kind in (staticmethod, classmethod):
        return found.__func__
    # Slots and fields of named tuples are descriptors written in C: they read memory and run no Python.
    if kind is types.MemberDescriptorType or kind.__name__ == "_tuplegetter":
        if isinstance(owner, type):
            return UNREAD
        try:
            return found.__get__(owner, type(owner))
        except AttributeError:
            return UNREAD
    if isinstance(found, (types.FunctionType, type)) or _is_stored(owner, name) or not hasattr(kind, "__get__"):
        return found
    return found if kind.__name__ == "PjitFunction" else UNREAD


def _is_stored(owner: Any, name: str) -> bool:
    try:
        return name in object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return False


def _item(owner: Any, key: Any) -> Any:
    if owner is UNREAD or key is UNREAD or is_tracer(owner) or type(key) not in (int, str, bool, float, bytes):
        return UNREAD
    kind: Any = type(owner)
    if not issubclass(kind, (dict, list, tuple)) or kind.__getitem__ not in _PLAIN_ITEMS:
        return UNREAD
    try:
        return owner[key]
    except (KeyError, IndexError, TypeError):
        return UNREAD


def traced_parts(node: ast.expr, names: Mapping[str, Any]) -> list[tuple[ast.expr, Any]]:
    """The largest readable parts of an expression whose values are, or hold, tracers; `x.shape` holds none."""
    found: list[tuple[ast.expr, Any]] = []
    _collect(node, names, frozenset(), found)
    return found


def _collect(
    node: ast.AST, names: Mapping[str, Any], hidden: frozenset[str], found: list[tuple[ast.expr, Any]]
) -> None:
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not _base_in(node, hidden):
        value = read(node, names)
        if value is not UNREAD:
            if tracers_in(value):
                found.append((node, value))
            return
        if isinstance(node, ast.Attribute) and node.attr in _STATIC:
            return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        return
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        hidden = hidden | {
            name.id for part in node.generators for name in ast.walk(part.target) if isinstance(name, ast.Name)
        }
    if isinstance(node, ast.Lambda):
        hidden = hidden | {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    for child in ast.iter_child_nodes(node):
        _collect(child, names, hidden, found)


def _base_in(node: ast.expr, hidden: frozenset[str]) -> bool:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name) and node.id in hidden


def tracers_in(value: Any) -> list[Any]:
    """The tracers a value is or holds, in containers and in the stored attributes of dataclasses and named tuples."""
    found: list[Any] = []
    _tracers(value, _DEPTH, [_WIDTH], found)
    return found


def _tracers(value: Any, depth: int, left: list[int], found: list[Any]) -> None:
    left[0] -= 1
    if left[0] < 0 or depth < 0:
        return
    if is_tracer(value):
        found.append(value)
        return
    for item in _items_of(value):
        _tracers(item, depth - 1, left, found)


def _items_of(value: Any) -> list[Any]:
    """What a container holds: values of dicts, items of lists and tuples, bounds of slices, fields of dataclasses."""
    kind: Any = type(value)
    if issubclass(kind, dict):
        return list(dict.values(value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    if issubclass(kind, (list, tuple)):
        return list(value)
    if kind is slice:
        return [value.start, value.stop, value.step]
    return [item for _, item in fields_of(value)]


def fields_of(value: Any) -> list[tuple[str, Any]]:
    """The stored fields of a dataclass by name."""
    names: Any = getattr(type(value), "__dataclass_fields__", ())
    found = ((str(name), _attribute(value, name)) for name in names)
    return [(name, item) for name, item in found if item is not UNREAD]


def unhashable_in(value: Any, path: str = "", depth: int = _DEPTH) -> tuple[str, Any] | None:
    """The part of a value that has no hash, and its path: a list in a tuple, an array in a field."""
    kind: Any = type(value)
    if kind.__hash__ is None or is_tracer(value):
        return path, value
    if depth < 0 or kind.__hash__ is object.__hash__:
        return None
    if issubclass(kind, tuple):
        names: Any = getattr(kind, "_fields", None)
        parts = [(f"[{at}]" if names is None else f".{names[at]}", item) for at, item in enumerate(value)]
    elif fields_of(value):
        parts = [(f".{name}", item) for name, item in fields_of(value)]
    else:
        own = kind.__module__.startswith(("jax", "numpy")) and not callable(value)
        return (path, value) if own and _cannot_hash(value) else None
    inner = (unhashable_in(item, path + name, depth - 1) for name, item in parts)
    return next((one for one in inner if one is not None), None)


def _cannot_hash(value: Any) -> bool:
    """Asked of arrays of JAX and NumPy only, whose `__hash__` is written in neither the user's code nor Python's."""
    try:
        hash(value)
    except TypeError:
        return True
    return False


def read_callable(node: ast.expr, names: Mapping[str, Any]) -> tuple[Any, bool]:
    """The callable an expression names, and whether its first parameter is filled, as that of a method is.

    For `Model(3).step` the class is enough: its attribute is the function, whatever the instance holds.
    """
    if not isinstance(node, ast.Attribute):
        return read(node, names), False
    owner = read(node.value, names)
    if owner is UNREAD and isinstance(node.value, ast.Call):
        kind = read(node.value.func, names)
        if isinstance(kind, type):
            return _attribute(kind, node.attr), True
        return UNREAD, False
    value = _attribute(owner, node.attr)
    if value is UNREAD:
        return value, False
    bound = not isinstance(owner, (type, types.ModuleType)) and not _is_stored(owner, node.attr)
    static = isinstance(inspect.getattr_static(owner, node.attr, None), staticmethod)
    return value, bound and not static
