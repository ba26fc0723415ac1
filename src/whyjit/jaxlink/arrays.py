"""Facts of one array leaf, read from its type alone: no contents, no transfer, no computation."""

from __future__ import annotations

import functools
import numbers
from typing import Any, NamedTuple

import numpy as np

# Of an array that has parts on devices of other processes.
ACROSS = " across processes"


class ArrayFacts(NamedTuple):
    """See `model.signature.Leaf`, whose fields these become."""

    shape: tuple[int, ...]
    dtype: str
    weak_type: bool
    sharding: str
    committed: bool
    memory: str
    layout: str
    mesh: str
    holder: str


@functools.cache
def _types() -> tuple[Any, Any, Any]:
    import jax
    from jax.api_util import shaped_abstractify

    return jax.Array, jax.core.Tracer, shaped_abstractify


@functools.lru_cache(maxsize=256)
def dtype_name(dtype: Any) -> str:
    """The name of a dtype, which NumPy composes anew at each asking: several microseconds, for every leaf."""
    return str(dtype)


def is_array(value: Any) -> bool:
    """Whether a value is an array to JAX (its own, NumPy's) and not a Python scalar."""
    return isinstance(value, (np.ndarray, np.generic, _types()[0]))


def is_tracer(value: Any) -> bool:
    """Whether a value stands for one that is being traced."""
    return isinstance(value, _types()[1])


def lie_nowhere(args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> bool:
    """Whether no argument has a placement: all are tracers, arrays committed to no device, or scalars and the like."""
    array, tracer, _ = _types()
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, tracer):
            continue
        if isinstance(value, array):
            if getattr(value, "_committed", True):
                return False
        elif not isinstance(value, _PLAIN):
            return False
    return True


_PLAIN = (int, float, complex, str, type(None), np.ndarray, np.generic, np.dtype, type)


def facts_of(value: Any) -> ArrayFacts | None:
    """The facts of an array, a Python scalar, or an abstract value. None where JAX would not take it."""
    array, tracer, abstractify = _types()
    try:
        aval = value.aval if isinstance(value, array) else abstractify(value)
        shape, dtype = tuple([int(size) for size in aval.shape]), dtype_name(aval.dtype)
    except (TypeError, ValueError, AttributeError, OverflowError):
        return None
    weak = bool(getattr(aval, "weak_type", False))
    if isinstance(value, tracer):
        return ArrayFacts(shape, dtype, weak, "", False, "", "", _mesh_text(aval), "traced")
    if isinstance(value, array):
        committed = bool(getattr(value, "_committed", True))
        sharding = getattr(value, "sharding", None)
        memory = _memory(sharding)
        return ArrayFacts(
            shape, dtype, weak, _sharding_text(sharding, committed), committed, memory, "", _mesh_text(aval), "jax"
        )
    if isinstance(value, (bool, numbers.Number)) and not isinstance(value, np.generic):
        return ArrayFacts(shape, dtype, weak, "", False, "", "", "", "python")
    holder = "numpy" if isinstance(value, (np.ndarray, np.generic)) else "abstract"
    return ArrayFacts(shape, dtype, weak, "", False, "", "", "", holder)


def _memory(sharding: Any) -> str:
    """The memory kind of a sharding where it is not its devices' default one."""
    kind = getattr(sharding, "memory_kind", None)
    if kind is None:
        return ""
    device = next(iter(sharding.device_set))
    return "" if kind == _default_memory(device) else str(kind)


@functools.lru_cache(maxsize=4096)
def _default_memory(device: Any) -> str:
    try:
        return str(device.default_memory().kind)
    except Exception:
        return ""


def _mesh_text(aval: Any) -> str:
    mesh = getattr(getattr(aval, "sharding", None), "mesh", None)
    return "" if mesh is None or getattr(mesh, "empty", True) else str(mesh)


def _sharding_text(sharding: Any, committed: bool) -> str:
    """The placement in the words a person uses. An uncommitted array has none of its own."""
    if sharding is None:
        return ""
    name = type(sharding).__name__
    if name == "SingleDeviceSharding":
        if not committed:
            return ""
        return f"committed to {', '.join(str(device) for device in sharding.device_set)}"
    across = "" if getattr(sharding, "is_fully_addressable", True) else ACROSS
    if name == "NamedSharding":
        devices = [getattr(device, "id", device) for device in sharding.mesh.devices.flat]
        sizes = ", ".join(f"{axis}: {size}" for axis, size in dict(sharding.mesh.shape).items())
        return f"{_spec_text(sharding.spec)} on mesh ({sizes}) of devices {_ranges(devices)}{across}"
    return str(sharding) + across


def _spec_text(spec: Any) -> str:
    return f"P({', '.join(repr(part) for part in tuple(spec))})"


def _ranges(ids: list[Any]) -> str:
    if len(ids) > 2 and ids == list(range(ids[0], ids[0] + len(ids))):
        return f"{ids[0]} to {ids[-1]}"
    return ", ".join(str(number) for number in ids)
