"""Which function a jitted callable is, seen through wrappers, and what its function object carries."""

from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.model.recording import Capture
from whyjit.observe.looks import closure_of, instance_fields
from whyjit.observe.places import is_user_code, kind_of_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.model.recording import Origin
    from whyjit.observe.looks import Describer

_LAYERS = 30
_FIELDS = 50


class Identity(NamedTuple):
    """A function group: its key, equal for all function objects made from one source, and how a person finds it."""

    key: tuple[Any, ...]
    name: str
    qualname: str
    file: str
    line: int
    origin: Origin
    kind: str


FURTHER = "further functions"


def further(identity: Identity) -> Identity:
    """Who stands for the functions that have no entry of their own: generated code may make them without end."""
    return identity._replace(
        key=(FURTHER, identity.origin), name=FURTHER, qualname=FURTHER, file="", line=0, kind=FURTHER
    )


def layers(function: Any) -> Iterator[Any]:
    """The callable, and what it wraps, from the outside in: partials, methods, `functools.wraps`, jitted functions."""
    seen: set[int] = set()
    current = function
    while current is not None and id(current) not in seen and len(seen) < _LAYERS:
        seen.add(id(current))
        yield current
        current = _inner(current)


def _inner(current: Any) -> Any:
    if isinstance(current, functools.partial):
        return current.func
    if isinstance(current, types.MethodType):
        return current.__func__
    try:
        wrapped = object.__getattribute__(current, "__wrapped__")
    except AttributeError:
        wrapped = getattr(type(current), "__wrapped__", None) if not isinstance(current, types.FunctionType) else None
        if isinstance(wrapped, property):
            wrapped = getattr(current, "__wrapped__", None)
    if wrapped is not None:
        return wrapped
    if not isinstance(current, (types.FunctionType, types.BuiltinFunctionType, type)):
        method = type(current).__dict__.get("__call__") or getattr(type(current), "__call__", None)  # noqa: B004 - the function itself
        return method if isinstance(method, types.FunctionType) else None
    return None


def identify(function: Any) -> Identity:
    """The function group of a callable."""
    key: list[Any] = []
    name = qualname = ""
    innermost: types.CodeType | None = None
    kind = "function"
    for layer in layers(function):
        code = getattr(layer, "__code__", None)
        if isinstance(code, types.CodeType):
            key.append((code.co_filename, code))  # code objects of equal text are equal, whatever their file
            innermost = code
        else:
            key.append(type(layer).__qualname__)
        kind = _kind_of(layer, kind)
        if not name and not isinstance(layer, types.MethodType) and isinstance(getattr(layer, "__name__", None), str):
            name, qualname = layer.__name__, getattr(layer, "__qualname__", layer.__name__)
    if name == "__call__" and not isinstance(function, types.FunctionType):
        name = qualname = type(function).__qualname__
    if innermost is None:
        name = name or type(function).__qualname__
        return Identity((*key, name), name, qualname or name, "", 0, "eager", kind)
    place = kind_of_file(innermost.co_filename)
    origin: Origin = "user" if place == "user" else "eager" if place == "jax" else "library"
    if origin == "eager":
        key.append(name)  # JAX makes the functions of its primitives from one code object
    return Identity(tuple(key), name, qualname or name, innermost.co_filename, innermost.co_firstlineno, origin, kind)


def _kind_of(layer: Any, kind: str) -> str:
    if isinstance(layer, functools.partial):
        return "partial"
    if isinstance(layer, types.MethodType):
        return "method"
    if isinstance(layer, types.FunctionType) and layer.__name__ == "<lambda>" and kind == "function":
        return "lambda"
    return kind


def captures(function: Any, describer: Describer) -> tuple[Capture, ...]:
    """What a function object carries into a trace besides its arguments, over all its layers."""
    found: list[Capture] = []
    chain = list(layers(function))
    for layer in chain:  # it grows
        chain.extend(_beneath(layer, chain))
    wrapped = {id(layer) for layer in chain}
    for layer in chain:
        found.extend(
            Capture(name, look.text, look.look, look.identity + (f" arrays {look.arrays}" if look.arrays else ""))
            for name, value in carried(layer)
            if id(value) not in wrapped
            for look in (describer.look(value),)
        )
    return tuple(found)


def _beneath(layer: Any, chain: list[Any]) -> list[Any]:
    """The functions of JAX's own that one of its wrappers holds: parts of it, and nothing that the user captured."""
    if len(chain) > _LAYERS or not _is_jax(layer):
        return []
    inner = [value for _, value in closure_of(layer)]
    return [value for value in inner if _is_jax(value) and not any(value is other for other in chain)]


def _is_jax(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and kind_of_file(value.__code__.co_filename) == "jax"


def carried(layer: Any) -> list[tuple[str, Any]]:
    """The values one layer carries, by the name its source uses for them."""
    if isinstance(layer, functools.partial):
        names = getattr(getattr(layer.func, "__code__", None), "co_varnames", ())
        given = [(names[at] if at < len(names) else f"args[{at}]", value) for at, value in enumerate(layer.args)]
        return given + list(layer.keywords.items())
    if isinstance(layer, types.MethodType):
        return [("self", layer.__self__)]
    if isinstance(layer, types.FunctionType):
        return closure_of(layer) + defaults_of(layer)
    call = inspect.getattr_static(type(layer), "__call__", None)
    if isinstance(call, types.FunctionType) and is_user_code(call.__code__):  # an object of the user's that is called
        return [(f"self.{name}", value) for name, value in instance_fields(layer)[:_FIELDS]]
    return []


def defaults_of(function: types.FunctionType) -> list[tuple[str, Any]]:
    """The defaults of a function's parameters, by name: `lambda x, scale=scale: ...` carries `scale`."""
    code, given = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    return [*zip(names[len(names) - len(given) :], given, strict=False), *(function.__kwdefaults__ or {}).items()]
