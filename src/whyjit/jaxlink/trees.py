"""Pytrees, one level at a time, as JAX sees them."""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import Any, NamedTuple

from whyjit.jaxlink import nnx


class Level(NamedTuple):
    """One inner node: its container, the children in JAX's order with their key strings, and static metadata by name.

    A metadata name of "" means the node's auxiliary data as a whole. `kind` is the class where it is not JAX's choice.
    A level may stand in a tree in the place of the node.
    """

    container: str
    keys: tuple[str, ...]
    children: tuple[Any, ...]
    metadata: tuple[tuple[str, Any], ...]
    kind: type | None = None


_NONE = Level("None", (), (), ())


@functools.cache
def _util() -> Any:
    import jax

    return jax.tree_util


def one_level(value: Any) -> Level | None:
    """The inner node that `value` is, or None where JAX takes it as a leaf."""
    if value is None:
        return _NONE
    kind = type(value)
    if kind is Level:
        return value  # type: ignore[no-any-return]
    if kind is tuple or kind is list:
        return Level(f"{kind.__name__}", tuple(f"[{at}]" for at in range(len(value))), tuple(value), ())
    if kind is dict:
        try:
            names = sorted(value)
        except TypeError:
            return _registered(value)
        return Level("dict", tuple(f"[{name!r}]" for name in names), tuple(value[name] for name in names), ())
    arrays, tracer = _arrays()
    if kind in _LEAVES or kind in arrays or issubclass(kind, tracer):
        return None
    if nnx.is_states(value):
        apart = nnx.taken_apart(value)
        if apart is not None:
            named, graph = apart
            keys, children = tuple(name for name, _ in named), tuple(child for _, child in named)
            return Level(kind.__name__, keys, children, (("._graphdef", graph),), kind)
    return _registered(value)


_LEAVES = frozenset({int, float, bool, complex, str, bytes})


@functools.cache
def _arrays() -> tuple[frozenset[type], type]:
    """What needs no asking of JAX's registry, which would cost more than all else at a leaf."""
    import numpy as np
    from jax._src.array import ArrayImpl
    from jax.core import Tracer

    return frozenset({ArrayImpl, np.ndarray}), Tracer


def auxiliary_of(value: Any) -> Any:
    """The auxiliary data of a node."""
    data = _util().tree_structure(value, is_leaf=lambda inner: inner is not value).node_data()
    return None if data is None else data[1]


def _registered(value: Any) -> Level | None:
    util = _util()
    children, tree = util.tree_flatten_with_path(value, is_leaf=lambda inner: inner is not value)
    data = tree.node_data()
    if data is None:  # a leaf has no node data
        return None
    kind, auxiliary = data
    keys = tuple(util.keystr(path) for path, _ in children)
    metadata = _metadata(value, keys, auxiliary)
    return Level(_container_name(kind), keys, tuple(child for _, child in children), metadata, kind)


def _container_name(kind: type) -> str:
    return kind.__name__ if kind.__module__ in ("builtins", "collections") else kind.__qualname__


def _metadata(value: Any, keys: tuple[str, ...], auxiliary: Any) -> tuple[tuple[str, Any], ...]:
    if isinstance(value, collections.defaultdict):
        return ((".default_factory", value.default_factory),)
    if isinstance(value, dict) or hasattr(value, "_fields"):
        return ()  # the auxiliary data of mappings and named tuples are their keys, which are listed already
    if auxiliary is value:  # registered as static: JAX compares the object itself
        return (("", value),)
    if dataclasses.is_dataclass(value):
        names = [f".{field.name}" for field in dataclasses.fields(value)]
        fixed = [(name, getattr(value, name[1:])) for name in names if name not in keys and hasattr(value, name[1:])]
        # Without children, only the auxiliary data tells whether the fields are in it.
        if set(keys) <= set(names) and (keys or _holds(auxiliary, [part for _, part in fixed])):
            return tuple(fixed)
    return () if _is_empty(auxiliary) else (("", auxiliary),)


def _holds(auxiliary: Any, fields: list[Any]) -> bool:
    """Whether auxiliary data are a dataclass's fields, as JAX and equinox keep them, and nothing else."""
    if not isinstance(auxiliary, tuple):
        return False
    known = {id(part) for part in auxiliary}
    return all(id(field) in known for field in fields)


def _is_empty(auxiliary: Any) -> bool:
    return auxiliary is None or (type(auxiliary) in (tuple, list, dict) and not auxiliary)
