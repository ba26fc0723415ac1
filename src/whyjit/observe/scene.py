"""The live side of a `Scene`: reads frames and tracers on request, and answers with frozen values."""

from __future__ import annotations

import ast
import enum
import inspect
import linecache
import pathlib
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from whyjit.jaxlink import entries, errors, jits, tracers
from whyjit.jaxlink.missing import Missing
from whyjit.model.scene import Callee, Field, Kind, Leaked, NotArrays, Origin, Place, Point, Seen
from whyjit.observe import steps, values
from whyjit.observe.functions import layers
from whyjit.observe.looks import closure_of
from whyjit.observe.origins import Origins, transformation_of
from whyjit.observe.parameters import Statics, parameters_of, root_of, static_among, traced_leaves
from whyjit.observe.stack import function_of, is_whole, levels_from, levels_of, point_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType

    from whyjit.observe.failures import DoorCall
    from whyjit.observe.given import Eyes

_PLAIN = (int, float, complex, bool, str, bytes, type(None))
_TEXT = 60
_POINTS = 16


class LiveScene:
    """A `Scene` over an exception and the frames it came through. It must not outlive the handling of the exception."""

    def __init__(
        self,
        exception: BaseException,
        tracer: Any = None,
        frame: FrameType | None = None,
        call: DoorCall | None = None,
        *,
        eyes: Eyes,
    ) -> None:
        """`tracer` is the one the error is about, if known; `frame` stands in for a traceback at the error's birth.

        `call` is the call of a jitted function that the error has ended, where its door told of it. `eyes` look at
        what was passed.
        """
        self._exception = exception
        self._eyes = eyes
        self._call = call
        self._levels = levels_of(exception) if frame is None else levels_from(frame)
        self._locals: dict[int, dict[str, Any]] = {}
        self._points: list[Point] | None = None
        self._followed: Origins | None = None
        self._user = [at for at, level in enumerate(self._levels) if level.kind == "user"] or self._installed()
        self._whole = is_whole(self._levels)
        self._tracer = tracer if tracer is not None else self._raised_about()

    @property
    def error(self) -> str:
        """See `Scene`."""
        return type(self._exception).__name__

    @property
    def message(self) -> str:
        """See `Scene`."""
        try:
            return str(self._exception)
        except Exception:
            return ""

    @property
    def points(self) -> Sequence[Point]:
        """See `Scene`. The frames far out are left away."""
        if self._points is None:
            known = set(self._user)
            self._points = [point_of(self._levels[at], direct=at + 1 in known) for at in self._user[:_POINTS]]
        return self._points

    @property
    def raised_in(self) -> Point | None:
        """See `Scene`."""
        at = next((at for at, level in enumerate(self._levels) if level.kind in ("user", "library")), None)
        return None if at is None or at in self._user else point_of(self._levels[at], direct=False)

    def lines(self, file: str) -> list[str]:
        """See `Scene`."""
        return linecache.getlines(file)

    def see(self, depth: int, node: ast.expr) -> Seen | None:
        """See `Scene`."""
        value = values.read(node, self._names(depth))
        return None if value is values.UNREAD else seen(value)

    def traced_parts(self, depth: int, node: ast.expr) -> list[tuple[ast.expr, Seen]]:
        """See `Scene`."""
        return [(part, seen(value)) for part, value in values.traced_parts(node, self._names(depth))]

    def origin(self, depth: int, nodes: Sequence[ast.expr]) -> Origin | None:
        """See `Scene`."""
        names = self._names(depth)
        parts = [value for node in nodes for _, value in values.traced_parts(node, names)]
        found = [tracer for value in parts for tracer in values.tracers_in(value)]
        return self._origins.follow(found) if found else None

    def error_origin(self) -> Origin | None:
        """See `Scene`."""
        return None if self._tracer is None else self._origins.follow([self._tracer])

    def error_value(self) -> Seen | None:
        """See `Scene`."""
        return None if self._tracer is None else seen(self._tracer)

    def leaked(self, depth: int, nodes: Sequence[ast.expr]) -> Leaked | None:
        """See `Scene`."""
        names = self._names(depth)
        for node in nodes:
            for part, value in values.traced_parts(node, names):
                dead = self._dead_in(value)
                if dead is not None:
                    return structs.replace(self._leak_of(dead), read=ast.unparse(part))
        if self._tracer is None or not self._is_dead(self._tracer):
            return None
        found = self._leak_of(self._tracer)
        for node in nodes:
            for call in ast.walk(node):
                if isinstance(call, ast.Call):
                    name, function = self._read_by(values.read_callable(call.func, names)[0])
                    if name:
                        return structs.replace(found, read=name, reader=function)
        return found

    def _read_by(self, function: Any) -> tuple[str, str]:
        """The global or closure variable through which a function reads a dead value, and the function's name."""
        for layer in layers(function) if callable(function) else ():
            code = getattr(layer, "__code__", None)
            if not isinstance(layer, types.FunctionType) or not isinstance(code, types.CodeType):
                continue
            space = {name: layer.__globals__[name] for name in code.co_names if name in layer.__globals__}
            space.update(closure_of(layer))
            name = next((name for name, value in space.items() if self._dead_in(value) is not None), "")
            if name:
                return name, function_of(code)
        return "", ""

    def _dead_in(self, value: Any) -> Any:
        return next((tracer for tracer in values.tracers_in(value) if self._is_dead(tracer)), None)

    def callee(self, depth: int, node: ast.expr) -> Callee | None:
        """See `Scene`."""
        value, bound = values.read_callable(node, self._names(depth))
        found = callee_of((value, bound))
        if found is None and value is not values.UNREAD:  # an object whose `__call__` is jitted in its class
            found = callee_of((inspect.getattr_static(type(value), "__call__", values.UNREAD), True))
        return found

    def unhashable(self, depth: int, node: ast.expr) -> Field | None:
        """See `Scene`."""
        value = values.read(node, self._names(depth))
        if value is values.UNREAD:
            kind = values.read(node.func, self._names(depth)) if isinstance(node, ast.Call) else None
            return Field("", kind.__name__) if isinstance(kind, type) and kind.__hash__ is None else None
        found = values.unhashable_in(value)
        return None if found is None else Field(found[0], type(found[1]).__name__)

    def not_arrays(self) -> NotArrays | None:
        """See `Scene`."""
        for at, level in enumerate(self._levels):
            if level.kind == "user":
                break
            if level.kind != "jax":
                continue
            door = entries.door_in(level.frame.f_code.co_name, self._local(at))
            if door is not None:
                function, info, args, kwargs = door
                return not_arrays_of(function, jits.statics_of(info), args, kwargs)
            applied = entries.applied_in(level.frame.f_code.co_name, self._local(at))
            if applied is not None:
                found = not_arrays_of(applied[0], ((), ()), applied[1], applied[2])
                return self._told_of(found, transformation_of(level.frame.f_code.co_name))
        call = self._call
        if call is None:
            return None
        return not_arrays_of(call.fun, (call.static_argnums, call.static_argnames), call.args, call.kwargs)

    def _told_of(self, found: NotArrays | None, transformation: str) -> NotArrays | None:
        """Of a transformation's arguments those of the type that the message names: the others may be as they are."""
        if found is None:
            return None
        kept = [at for at, (_, kind) in enumerate(found.leaves) if f"{kind.partition(' ')[0]}'" in self.message]
        if not kept:
            return None
        leaves, kinds = tuple(found.leaves[at] for at in kept), tuple(found.kinds[at] for at in kept)
        return structs.replace(found, leaves=leaves, kinds=kinds, transformation=transformation)

    def place(self, depth: int, node: ast.expr) -> Place | None:
        """See `Scene`."""
        value, _ = values.read_callable(node, self._names(depth))
        for layer in layers(value) if callable(value) else ():
            code = getattr(layer, "__code__", None)
            if isinstance(code, types.CodeType):
                return Place(function_of(code), code.co_filename, code.co_firstlineno)
        return None

    @property
    def _origins(self) -> Origins:
        if self._followed is None:
            self._followed = Origins(self._levels, [self._local(at) for at in range(len(self._levels))], self._eyes)
        return self._followed

    def _local(self, at: int) -> dict[str, Any]:
        if at not in self._locals:
            level = self._levels[at]
            self._locals[at] = dict(level.frame.f_locals) if level.kind == "jax" else {}
        return self._locals[at]

    def _names(self, depth: int) -> Mapping[str, Any]:
        if depth >= len(self._user):
            return {}
        return values.Names(self._levels[self._user[depth]].frame)

    def _installed(self) -> list[int]:
        """Frames of installed packages, for a program that has no code of its own outside them."""
        return [at for at, level in enumerate(self._levels) if level.kind == "library" and _is_package(level.frame)]

    def _raised_about(self) -> Any:
        if self.error not in errors.TRACER_ERRORS:
            return None
        for at, level in enumerate(self._levels):
            if level.kind != "jax":
                return None
            found = errors.subject_in(self._local(at))
            if found is not None:
                return found
        return None

    def _leak_of(self, tracer: Any) -> Leaked:
        """What a dead tracer tells. The function being staged has not leaked what a `vmap` inside it has."""
        found = leak_of(tracer)
        staging, passed = tracers.layers(tracer)
        goes_on = bool(staging and passed) and not self._any_dead(staging)
        return structs.replace(found, function="", transformation="", file="", line=0) if goes_on else found

    def _is_dead(self, tracer: Any) -> bool:
        staging, passed = tracers.layers(tracer)
        both = self.error == "UnexpectedTracerError"  # of a `vmap` inside a trace that goes on, too
        return self._any_dead([*staging, *passed] if both else staging or passed)

    def _any_dead(self, parts: list[Any]) -> bool:
        whole = self._whole or self.error == "UnexpectedTracerError"
        return any(self._origins.is_dead(part, whole=whole) for part in parts)


def _is_package(frame: FrameType) -> bool:
    folder = frame.f_code.co_filename.replace("\\", "/").rpartition("-packages/")
    return bool(folder[1]) and folder[2].split("/")[0] not in {"numpy", "scipy", "jax", "jaxlib"}


def seen(value: Any) -> Seen:
    """A value as a neutral one."""
    name = type(value).__name__
    kind = _kind_of(value)
    if kind in ("traced", "array"):
        known = tracers.type_of(value)
        if not isinstance(known, Missing):
            dtype, shape = known
            return Seen(kind, name, f"{dtype}[{','.join(map(str, shape))}]", dtype, shape)
    if isinstance(value, _PLAIN) and type(value) in _PLAIN:
        text = repr(value)
        return Seen("value", name, text=text if len(text) <= _TEXT else text[: _TEXT - 1] + "…")
    return Seen(kind, name)


def _kind_of(value: Any) -> Kind:
    kind: Any = type(value)
    if tracers.is_tracer(value):
        return "traced"
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "type"
    if jits.info_of(value) is not None and callable(value):
        return "jitted"
    if callable(value):
        return "function"
    if hasattr(kind, "__array__") or hasattr(kind, "__array_interface__"):
        return "array"
    if issubclass(kind, (list, tuple, dict, set)) or hasattr(kind, "__dataclass_fields__"):
        return "container"
    return "value"


def _type_text(value: Any) -> str:
    name = type(value).__name__
    return f"{name} of {value.dtype}" if name == "ndarray" else name


def leak_of(tracer: Any) -> Leaked:
    """What a tracer whose trace has ended still tells."""
    staging, passed = tracers.layers(tracer)
    known = tracers.type_of(tracer)
    typed = "" if isinstance(known, Missing) else f"{known[0]}[{','.join(map(str, known[1]))}]"
    for part in (*staging, *passed):
        info = tracers.debug_of(part)
        made = tracers.maker(part)
        site = None if made is None else steps.site_of(made)
        step = None if made is None or site is None else steps.step_of(made.operation, site)
        if isinstance(info, Missing) and step is None:
            continue
        span = None if site is None else steps.span_of(site)
        found = Leaked("", "", typed, "", 0, step, span, "" if site is None else site.file)
        if isinstance(info, Missing):
            return found
        return structs.replace(
            found, function=info.function, transformation=info.transformation, file=info.file, line=info.line
        )
    return Leaked("", "", typed)


def callee_of(found: tuple[Any, bool]) -> Callee | None:
    """A jitted function as a neutral value."""
    value, bound = found
    if value is values.UNREAD:
        return None
    jitted = next((layer for layer in layers(value) if jits.info_of(layer) is not None), None)
    if jitted is None:
        return None
    parameters = parameters_of(jits.function_of(jitted))
    static = static_among(parameters, jits.statics_of(jits.info_of(jitted)))
    name = str(getattr(jitted, "__qualname__", getattr(jitted, "__name__", "")))
    return Callee(name, parameters, tuple(p for p in parameters if p in static), bound)


def not_arrays_of(function: Any, statics: Statics, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NotArrays | None:
    """The leaves of a call that JAX cannot take, static arguments aside."""
    leaves = traced_leaves(function, statics, args, kwargs)
    if isinstance(leaves, Missing):
        return None
    wrong = [(path, leaf) for path, leaf in leaves if not entries.is_input(leaf)]
    name = str(getattr(function, "__qualname__", getattr(function, "__name__", type(function).__name__)))
    if not wrong:
        return None
    taken = {id(leaf) for _, leaf in wrong}
    roots = {root_of(path) for path, _ in wrong}
    mixed = dict.fromkeys(root_of(path) for path, leaf in leaves if id(leaf) not in taken and root_of(path) in roots)
    package = ""
    for given in (*args, *kwargs.values()):
        if type(given).__module__.startswith("equinox") or _is_equinox(type(given)):
            package = "equinox"
    return NotArrays(
        name,
        tuple((path, _type_text(leaf)) for path, leaf in wrong),
        tuple(_kind_of_leaf(leaf) for _, leaf in wrong),
        tuple(mixed),
        package,
    )


def _is_equinox(kind: type) -> bool:
    return any(base.__module__.startswith("equinox") for base in kind.__mro__)


def _kind_of_leaf(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "objects" if value.dtype == object else "array"
    if isinstance(value, (str, bytes, type, enum.Enum, slice, range, np.dtype, pathlib.PurePath)):
        return "setting"
    if isinstance(value, (types.GeneratorType, Iterator)):
        return "iterator"
    if callable(value) and not isinstance(value, type):
        named = type(value).__name__ in ("function", "builtin_function_or_method", "method", "partial", "custom_jvp")
        return "function" if named or jits.info_of(value) is not None else "object"
    return "object"
