"""Live arguments from kept ones, in a process that is there to try them.

Values that only Python can take apart are unpickled: this runs code of the program they come from, which the process
is about to run anyway.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from whyjit.jaxlink import rebuilding
from whyjit.model.arguments import Array, KeptCall, Made, Named, Node, Pickled, Plain, Value

_SPECIAL = frozenset({"inf", "-inf", "nan"})


Call = tuple[tuple[Any, ...], dict[str, Any]]


def thaw(call: KeptCall, known: dict[bytes, Any] | None = None) -> Call:
    """The arguments of a call, made anew. Objects that `known` holds, by their pickled bytes, are used again."""
    known = {} if known is None else known
    named = {name: value_of(value, known) for name, value in call.kwargs}
    return tuple(value_of(value, known) for value in call.args), named


def thaw_all(calls: Iterable[KeptCall], marks: Iterable[str]) -> list[Call]:
    """The arguments of several calls. Calls of one mark were given the very same objects."""
    known: dict[str, dict[bytes, Any]] = {}
    return [thaw(call, known.setdefault(mark, {})) for call, mark in zip(calls, marks, strict=True)]


def value_of(value: Value, known: dict[bytes, Any]) -> Any:
    """A value made anew, or the known one."""
    if isinstance(value, Plain):
        return plain(value.text)
    if isinstance(value, Array):
        return _array(value)
    if isinstance(value, Made):
        return _made(value)
    if isinstance(value, Pickled):
        return _unpickled(value.data, value.arrays, known)
    if isinstance(value, Named):
        return rebuilding.by_name(value.module, value.name)
    return _node(value, known)


def function_of(pickled: Pickled) -> Any:
    """A function made anew with what it closes over. Raises `CannotRebuild`, or what the program's own code raises."""
    return rebuilding.loads(pickled.data, pickled.arrays, _array)


def _unpickled(data: bytes, arrays: tuple[Array, ...], known: dict[bytes, Any]) -> Any:
    """An object, the same one for the same bytes. One that holds arrays is told from others by these, too."""
    key = b"".join((data, *(one.data for one in arrays)))
    if key not in known:
        known[key] = rebuilding.loads(data, arrays, _array)
    return known[key]


def plain(text: str) -> Any:
    """The plain Python value that a `repr` stands for."""
    if text in _SPECIAL:
        return float(text)  # a NaN of its own: one is not equal to another, nor to itself
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return complex(text)  # those with nan or inf in them


def _dtype(name: str) -> Any:
    import jax.numpy as jnp

    return jnp.dtype(name)


def _array(value: Array) -> Any:
    import jax

    host = np.frombuffer(value.data, _dtype(value.dtype)).reshape(value.shape)
    if value.keys:
        return jax.random.wrap_key_data(jax.numpy.asarray(host), impl=value.keys)
    if value.holder == "numpy":
        return host.copy() if value.shape else host[()]
    return _weak(host) if value.weak_type else jax.numpy.asarray(host, host.dtype)


def _weak(host: np.ndarray) -> Any:
    """An array with a weak type, made from a Python scalar; one of another dtype or with sizes by a conversion."""
    import jax

    if host.shape == ():
        made = jax.numpy.asarray(host.item())
        if made.dtype == host.dtype and made.aval.weak_type:
            return made
    from jax._src.lax import lax

    return lax._convert_element_type(jax.numpy.asarray(host, host.dtype), weak_type=True)


def _made(value: Made) -> Any:
    """A value of a type: floats from a fixed sequence away from zero and from each other, small whole numbers."""
    import jax

    if value.dtype.startswith("key<"):
        keys = jax.random.split(jax.random.key(7, impl=_implementation(value.dtype)), max(1, math.prod(value.shape)))
        return keys.reshape(value.shape)
    dtype = _dtype(value.dtype)
    count = math.prod(value.shape)
    numbers = (np.arange(count) * 0.618033988749895 + 0.25) % 1.0
    if dtype.kind == "b":
        host = numbers > 0.5
    elif dtype.kind in "iu":
        host = np.floor(numbers * 3).astype(dtype)
    else:
        host = (numbers * 2 - 0.75).astype(dtype)
    host = host.reshape(value.shape)
    if value.holder == "python":
        return host.item()
    if value.holder == "numpy":
        return host if value.shape else host[()]
    return _weak(host) if value.weak_type else jax.numpy.asarray(host, dtype)


def _implementation(dtype: str) -> str:
    """The implementation in the name of a key's dtype: `key<fry>` is that of threefry."""
    names = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}
    return names[dtype.removeprefix("key<").removesuffix(">")]


def _node(value: Node, known: dict[bytes, Any]) -> Any:
    children = [value_of(child, known) for child in value.children]
    if value.container == "tuple":
        return tuple(children)
    if value.container == "list":
        return children
    if value.container == "dict":
        return dict(zip((value_of(key, known) for key in value.keys), children, strict=True))
    kind, auxiliary = _unpickled(value.node, value.arrays, known)
    return _registered(kind, auxiliary, children)


def _registered(kind: Any, auxiliary: Any, children: list[Any]) -> Any:
    """An instance of a class that JAX knows how to take apart, put together again."""
    import jax

    util = jax.tree_util
    make = getattr(util.PyTreeDef, "from_node_data_and_children", None)
    if make is not None:
        leaf = util.tree_structure(0)
        tree = make(util.default_registry, (kind, auxiliary), [leaf] * len(children))
        return util.tree_unflatten(tree, children)
    if hasattr(kind, "_fields"):  # before 0.8: named tuples have no entry in the registry
        return kind(*children)
    from jax._src import tree_util

    return tree_util._registry[kind].from_iter(auxiliary, tuple(children))
