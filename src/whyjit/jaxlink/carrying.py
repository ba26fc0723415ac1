"""Functions that no module has by name, and other Python objects, pickled with what they carry.

Everything goes by reference, as in pickle, but for functions made inside other functions, jitted functions, modules and
arrays. Of such a function its place in its module's code goes, and the contents of its closure; of an array its
contents, beside the pickle. `whyjit.jaxlink.rebuilding` makes them anew in another process.
"""

from __future__ import annotations

import importlib
import io
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from whyjit.jaxlink import arrays, jits, rebuilding
from whyjit.model.arguments import Array, Named

_BYTES = 1 << 20
_LAYERS = 10


class CannotCarry(Exception):  # noqa: N818 - told as the reason why something is not kept
    """Why an object cannot be handed to another process."""


def dumps(value: Any, freeze: Callable[[Any], Array]) -> tuple[bytes, tuple[Array, ...]]:
    """An object pickled, and the arrays inside it, each as `freeze` takes it down. Raises `CannotCarry`."""
    kind = type(value).__qualname__
    stream = _Bounded(f"a {kind} takes more than 1 MB when pickled")
    pickler = _Pickler(stream, freeze)
    try:
        pickler.dump(value)
    except CannotCarry:
        raise
    except Exception as fault:
        raise CannotCarry(f"a {kind} cannot be pickled: {str(fault)[:120]}") from fault
    return stream.getvalue(), tuple(pickler.arrays)


def dumps_function(function: Any, freeze: Callable[[Any], Array]) -> tuple[bytes, tuple[Array, ...]]:
    """A function pickled with what it carries. Raises `CannotCarry`, which names the variable that is in the way."""
    try:
        return dumps(function, freeze)
    except CannotCarry as reason:
        for name, value in _closed_over(function):
            try:
                dumps(value, freeze)
            except CannotCarry as inner:
                raise CannotCarry(f"`{name}`, which it closes over: {inner}") from None
        raise reason from None


def _closed_over(function: Any) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    function = getattr(function, "__func__", function)
    for name, cell in zip(
        getattr(getattr(function, "__code__", None), "co_freevars", ()),
        getattr(function, "__closure__", None) or (),
        strict=False,
    ):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:  # not assigned yet
            continue
    return found


def named(value: Any) -> Named | None:
    """The name under which a module has the very object, if it is something that can be called."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not callable(value) or not isinstance(module, str) or not isinstance(name, str):
        return None
    return Named(module, name) if _found(module, name) is value else None


def is_named(function: Any) -> bool:
    """Whether a module has a function by its name: itself, or within jits and wrappers that keep what they wrap."""
    if isinstance(function, (types.MethodType, staticmethod, classmethod)):
        return False
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return False
    found = _found(module, name)
    for _ in range(_LAYERS):
        if isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
        if found is function:
            return True
        inner = jits.function_of(found) if jits.is_jitted(found) else getattr(found, "__wrapped__", None)
        if inner is None:
            return False
        found = inner
    return False


def _found(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    return found


class _Bounded(io.BytesIO):
    """Takes so much and no more: an object may lead to a whole data set, and a call waits for it."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self._reason = reason

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > _BYTES:
            raise CannotCarry(self._reason)
        return super().write(data)


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, freeze: Callable[[Any], Array]) -> None:
        super().__init__(stream, protocol=5)
        self.arrays: list[Array] = []
        self._freeze = freeze
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []  # what is numbered by its id must not go away meanwhile

    def persistent_id(self, value: Any) -> int | None:
        """The number of an array."""
        if arrays.is_tracer(value):
            raise CannotCarry("it is a value of a trace that is under way")
        if type(value) is np.ndarray:
            if value.dtype.hasobject:
                return None
        elif not arrays.is_array(value) or isinstance(value, (np.ndarray, np.generic)):
            return None
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self.arrays)
            self._alive.append(value)
            self.arrays.append(self._freeze(value))
        return number

    def reducer_override(self, value: Any) -> Any:
        """How objects are taken apart that pickle takes by name alone."""
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, types.CellType):
            return _cell(value)
        if isinstance(value, types.MethodType):
            return rebuilding.method, (value.__func__, value.__self__)
        if isinstance(value, types.FunctionType):
            return NotImplemented if named(value) else _function(value)
        if isinstance(value, type):
            local = "<locals>" in value.__qualname__ and not named(value)
            return _class(value) if local else NotImplemented
        if jits.is_jitted(value):
            return _jitted(value)
        return NotImplemented


def _cell(cell: types.CellType) -> Any:
    try:
        return rebuilding.cell, (), (cell.cell_contents,), None, None, rebuilding.fill_cell
    except ValueError:
        return rebuilding.cell, ()


def _function(function: types.FunctionType) -> Any:
    code = function.__code__
    home = function.__globals__.get("__name__")
    if not isinstance(home, str) or code.co_filename.startswith("<"):
        raise CannotCarry(f"`{function.__qualname__}` was made from text, so that there is no file to find it in")
    # The globals are named for whoever has to know what of a program the function needs.
    place = rebuilding.Place(home, code.co_qualname, code.co_firstlineno, rebuilding.digest(code))
    state = {
        "__defaults__": function.__defaults__,
        "__kwdefaults__": function.__kwdefaults__,
        "__dict__": dict(function.__dict__),
        "__name__": function.__name__,
        "__qualname__": function.__qualname__,
        "__module__": function.__module__,
    }
    arguments = (place.encoded(), tuple(rebuilding.globals_of(code)), function.__closure__ or ())
    return rebuilding.function, arguments, state, None, None, rebuilding.fill_function


def _class(kind: type) -> Any:
    """A class made inside a function: its body is run again, over what its methods close over."""
    cells: dict[str, types.CellType] = {}
    digests: list[str] = []
    names: dict[str, None] = {}
    for value in vars(kind).values():
        function = _below(value)
        if function is None or not function.__code__.co_qualname.startswith(f"{kind.__qualname__}."):
            continue
        digests.append(rebuilding.digest(function.__code__))
        names.update(dict.fromkeys(rebuilding.globals_of(function.__code__)))
        cells.update(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells.pop("__class__", None)
    if not digests:
        raise CannotCarry(f"the class `{kind.__name__}` is made inside a function and has no method to find it by")
    place = rebuilding.Place(kind.__module__, kind.__qualname__, id(kind), digests[0])
    return rebuilding.local_class, (place.encoded(), tuple(names), kind.__bases__, cells)


def _below(value: Any) -> types.FunctionType | None:
    """The function of the source in what a class has under a name."""
    for _ in range(_LAYERS):
        if isinstance(value, types.FunctionType) and not hasattr(value, "__wrapped__"):
            return value
        value = getattr(value, "__func__", None) or getattr(value, "fget", None) or getattr(value, "__wrapped__", None)
    return None


def _jitted(jitted: Any) -> Any:
    by_name = named(jitted)
    if by_name is not None:
        return rebuilding.by_name, (by_name.module, by_name.name)
    options = jits.arguments_of(jits.info_of(jitted))
    if isinstance(options, str):
        raise CannotCarry(f"the jit of `{getattr(jitted, '__name__', 'a function')}` {options}")
    return rebuilding.jitted, (jits.function_of(jitted), options)
