"""Arguments of a call copied to plain data: what `whyjit run --keep-arguments` stores.

It happens at the door, before the call runs, so that arrays which the call is given to use up are still there. Nothing
is computed and nothing is kept: the contents of arrays are copied to the host, also where that means waiting for them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from whyjit.jaxlink import arrays, carrying, programs
from whyjit.jaxlink.carrying import CannotCarry
from whyjit.model.arguments import Array, Carried, KeptCall, Node, Pickled, Plain, Value

_PLAIN = (int, float, bool, complex, str, bytes, type(None))
_VALUES = 20000


def freeze(args: tuple[Any, ...], kwargs: dict[str, Any], limit: int) -> KeptCall:
    """The arguments as data, if their arrays take at most `limit` bytes; else a `KeptCall` that says why not."""
    work = _Freezer(limit)
    try:
        positional = tuple(work.value(value) for value in args)
        named = tuple((name, work.value(value)) for name, value in kwargs.items())
    except CannotCarry as reason:
        return KeptCall(missing=str(reason))
    except Exception as fault:
        return KeptCall(missing=f"they cannot be copied: {type(fault).__name__}: {str(fault)[:200]}")
    return KeptCall(positional, named, nbytes=work.nbytes)


def carry(function: Any, limit: int, known: Container[str] = ()) -> tuple[Carried | None, int]:
    """A function with what it closes over, as data, and the size of its arrays; None where its module has it by name.

    Of one whose digest is `known`, the data are left out, and the size is 0.
    """
    if carrying.is_named(function):
        return None, 0
    work = _Freezer(limit)
    try:
        data, found = carrying.dumps_function(function, work.array)
    except CannotCarry as reason:
        return Carried(missing=str(reason)), 0
    except Exception as fault:
        return Carried(missing=f"it cannot be copied: {type(fault).__name__}: {str(fault)[:200]}"), 0
    name = _digest(data, found)
    if name in known:
        return Carried(digest=name), 0
    return Carried(Pickled(data, type(function).__qualname__, found), name), work.nbytes


def look(value: Any, limit: int) -> str:
    """A digest of an object and of all in it, whose arrays may take `limit` bytes. Raises `CannotCarry`."""
    return _digest(*carrying.dumps(value, _Freezer(limit).array))


def baked(closed: Any, limit: int) -> str:
    """A digest of the contents of the arrays that a staged program has closed over; "" where they are not to be had.

    They may take `limit` bytes. Of equal programs, those with equal digests compute the same.
    """
    work = _Freezer(limit)
    try:
        return _digest(b"", [work.array(value) for value in programs.closed_over(closed)])
    except Exception:
        return ""


def _digest(data: bytes, found: Iterable[Array]) -> str:
    digest = hashlib.blake2b(data, digest_size=16)
    for one in found:
        digest.update(repr((one.shape, one.dtype, one.weak_type, one.keys)).encode())
        digest.update(one.data)
    return digest.hexdigest()


class _Freezer:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values = 0
        self.nbytes = 0

    def value(self, value: Any) -> Value:
        self._values += 1
        if self._values > _VALUES:
            raise CannotCarry(f"they hold more than {_VALUES} values")
        kind = type(value)
        if kind in _PLAIN:
            return Plain(repr(value))
        if kind in (tuple, list):
            return Node("tuple" if kind is tuple else "list", tuple(self.value(part) for part in value))
        if kind is dict:
            return Node("dict", tuple(map(self.value, value.values())), tuple(map(self.value, value)))
        if arrays.is_tracer(value):
            raise CannotCarry("the call was part of another function's trace")
        if arrays.is_array(value):
            return self.array(value)
        return self._other(value)

    def array(self, value: Any) -> Array:
        """A copy of an array."""
        weak = bool(getattr(getattr(value, "aval", None), "weak_type", False))
        if isinstance(value, (np.ndarray, np.generic)):
            self._take(value)
            return _plain_array(np.asarray(value), "numpy")
        if value.is_deleted():
            raise CannotCarry("an array was deleted before the call")
        if not value.is_fully_addressable:
            raise CannotCarry("an array is spread over several processes")
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
            raise CannotCarry(f"they are larger than the {self._limit / 1e6:.3g} MB that may still be kept")

    def _other(self, value: Any) -> Value:
        """A node of a registered class, else something that only Python can take apart."""
        named = carrying.named(value)
        if named is not None:
            return named
        import jax

        children, tree = jax.tree_util.tree_flatten(value, is_leaf=lambda inner: inner is not value)
        data = tree.node_data()
        if data is None or data[1] is value:
            pickled, found = carrying.dumps(value, self.array)
            return Pickled(pickled, type(value).__qualname__, found)
        pickled, found = carrying.dumps(data, self.array)
        return Node("registered", tuple(self.value(child) for child in children), node=pickled, arrays=found)


def _plain_array(host: np.ndarray, holder: str, *, weak: bool = False) -> Array:
    if host.dtype.hasobject:
        raise CannotCarry("an array holds Python objects")
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
