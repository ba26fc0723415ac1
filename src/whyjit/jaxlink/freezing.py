"""Arguments of a call copied to plain data: what `whyjit run --keep-arguments` stores.

It happens at the door, before the call runs, so that arrays which the call is given to use up are still there. Nothing
is computed and nothing is kept: the contents of arrays are copied to the host, also where that means waiting for them.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np

from whyjit.jaxlink import arrays
from whyjit.model.arguments import Array, KeptCall, Named, Node, Pickled, Plain, Value

_PLAIN = (int, float, bool, complex, str, bytes, type(None))
_PICKLE_BYTES = 1 << 20
_VALUES = 20000


class _CannotKeep(Exception):  # noqa: N818 - it ends the keeping of one call, and is not shown
    """Why a call's arguments are not kept."""


def freeze(args: tuple[Any, ...], kwargs: dict[str, Any], limit: int) -> KeptCall:
    """The arguments as data, if their arrays take at most `limit` bytes; else a `KeptCall` that says why not."""
    work = _Freezer(limit)
    try:
        positional = tuple(work.value(value) for value in args)
        named = tuple((name, work.value(value)) for name, value in kwargs.items())
    except _CannotKeep as reason:
        return KeptCall(missing=str(reason))
    except Exception as fault:
        return KeptCall(missing=f"they cannot be copied: {type(fault).__name__}: {str(fault)[:200]}")
    return KeptCall(positional, named, nbytes=work.nbytes)


class _Freezer:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values = 0
        self.nbytes = 0

    def value(self, value: Any) -> Value:
        self._values += 1
        if self._values > _VALUES:
            raise _CannotKeep(f"they hold more than {_VALUES} values")
        kind = type(value)
        if kind in _PLAIN:
            return Plain(repr(value))
        if kind in (tuple, list):
            return Node("tuple" if kind is tuple else "list", tuple(self.value(part) for part in value))
        if kind is dict:
            return Node("dict", tuple(map(self.value, value.values())), tuple(map(self.value, value)))
        if arrays.is_tracer(value):
            raise _CannotKeep("the call was part of another function's trace")
        if arrays.is_array(value):
            return self._array(value)
        return self._other(value)

    def _array(self, value: Any) -> Array:
        weak = bool(getattr(getattr(value, "aval", None), "weak_type", False))
        if isinstance(value, (np.ndarray, np.generic)):
            self._take(value)
            return _plain_array(np.asarray(value), "numpy")
        if value.is_deleted():
            raise _CannotKeep("an array was deleted before the call")
        if not value.is_fully_addressable:
            raise _CannotKeep("an array is spread over several processes")
        self._take(value)
        base = getattr(value, "_base_array", None)  # of typed random keys
        if base is not None:
            host = _to_host(base)
            return Array(host.shape, str(host.dtype), host.tobytes(), keys=_implementation(value))
        host = _to_host(value)
        return _plain_array(host, "jax", weak=weak)

    def _take(self, value: Any) -> None:
        self.nbytes += int(value.nbytes)
        if self.nbytes > self._limit:
            raise _CannotKeep(f"they are larger than the {self._limit / 1e6:.3g} MB that may still be kept")

    def _other(self, value: Any) -> Value:
        """A node of a registered class, else something that only Python can take apart."""
        named = _named(value)
        if named is not None:
            return named
        import jax

        children, tree = jax.tree_util.tree_flatten(value, is_leaf=lambda inner: inner is not value)
        data = tree.node_data()
        if data is None or data[1] is value:
            return Pickled(_pickled(value), type(value).__qualname__)
        return Node("registered", tuple(self.value(child) for child in children), node=_pickled(data))


def _plain_array(host: np.ndarray, holder: str, *, weak: bool = False) -> Array:
    if host.dtype.hasobject:
        raise _CannotKeep("an array holds Python objects")
    return Array(host.shape, str(host.dtype), host.tobytes(), weak, holder)


def _to_host(array: Any) -> np.ndarray:
    """A copy of an array's contents. JAX remembers what it copied; it is made to forget, as if nobody had asked."""
    remembered = getattr(array, "_npy_value", None)
    copy = np.array(array, copy=True)
    if remembered is None and getattr(array, "_npy_value", None) is not None:
        array._npy_value = None
    return copy


def _implementation(keys: Any) -> str:
    """The name of the implementation of typed random keys."""
    return str(keys.dtype._impl.name)


def _named(value: Any) -> Named | None:
    """The name under which a module has the very object, if it is something that can be called."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not callable(value) or not isinstance(module, str) or not isinstance(name, str):
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    return Named(module, name) if found is value else None


def _pickled(value: Any) -> bytes:
    try:
        data = pickle.dumps(value)
    except Exception as fault:
        raise _CannotKeep(f"a {type(value).__qualname__} cannot be pickled: {str(fault)[:120]}") from fault
    if len(data) > _PICKLE_BYTES:
        raise _CannotKeep(f"a {type(value).__qualname__} takes more than 1 MB when pickled")
    return data
