"""What a Python value looks like from outside, without running the user's code.

A static value or a captured variable is described by walking it: no `__repr__`, `__eq__` or `__hash__` written by a
user is called, so none can raise, hang, or return megabytes. Array contents are not read. The walk is bounded, and what
lies beyond its bounds is said to be unseen.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import hashlib
import inspect
import types
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whyjit.jaxlink import arrays, jits, nnx, objects
from whyjit.model.avals import aval_text
from whyjit.model.signature import Static

if TYPE_CHECKING:
    from whyjit.jaxlink.programs import Tokens

_NODES = 300
_DEPTH = 8
# A static value decides a program, and what tells it from another may lie deep: optimizers hold functions in functions.
_STATIC_NODES = 2000
_STATIC_DEPTH = 14
_PARTS = 300
_TEXT = 200
_TRUSTED = frozenset(
    {"builtins", "numpy", "datetime", "decimal", "fractions", "pathlib", "re", "uuid", "ml_dtypes", "array"}
)
HIDDEN = "<hidden>"


class Look(NamedTuple):
    """See `model.signature.Static`, whose fields these become. `arrays` numbers the arrays inside."""

    type: str
    text: str
    look: str
    identity: str
    note: str
    parts: tuple[tuple[str, str], ...]
    arrays: str = ""
    objects: tuple[tuple[str, str], ...] = ()


class Describer:
    """Describes values. `tokens` number the objects that are compared by identity; `redact` hides what they say."""

    def __init__(self, tokens: Tokens, *, redact: bool = False) -> None:
        self._tokens = tokens
        self._redact = redact
        self._classes: dict[tuple[str, str], dict[int, int]] = {}

    def look(self, value: Any, *, static: bool = False) -> Look:
        """The look of a value. A `static` one is walked further, and zero has no sign in it, as it has none for JAX."""
        walk = _Walk(self._tokens, static=static)
        text = walk.text(value, "", 0)
        identity = ",".join(map(str, walk.identities))
        digest = hashlib.blake2b("\x1f".join(walk.digest).encode("utf-8", "replace"), digest_size=10).hexdigest()
        name = type_name(type(value))
        parts = tuple(walk.parts)
        if self._redact:
            text, parts = HIDDEN, tuple((path, HIDDEN) for path, _ in parts)
        inside = ",".join(map(str, walk.arrays))
        return Look(name, _cut(text), digest, identity, walk.note(value), parts, inside, tuple(walk.objects))

    def number(self, value: Any) -> int:
        """The number of an object, the same for as long as it lives."""
        return self._tokens.of(value)

    def class_mark(self, kind: type) -> str:
        """Nothing for the first class of its name; one made again is another to JAX, and is numbered."""
        known = self._classes.setdefault((kind.__module__, kind.__qualname__), {})
        number = known.setdefault(self._tokens.of(kind), len(known) + 1)
        return "" if number == 1 else f" (class object {number})"

    def static(self, path: str, value: Any) -> Static:
        """A static value at `path`."""
        look = self.look(value, static=True)
        objects = look.objects if any(where for where, _ in look.objects) else ()
        return Static(path, look.type, look.text, look.look, look.identity, look.note, look.parts, objects)


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"


def type_name(kind: type) -> str:
    """A type's name as a person writes it."""
    return kind.__name__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"


def code_digest(code: types.CodeType) -> str:
    """A digest of what a function's code does and where it stands."""
    inner = [part.co_code if isinstance(part, types.CodeType) else repr(part).encode() for part in code.co_consts[:50]]
    head = f"{code.co_filename}:{code.co_firstlineno}:{code.co_qualname}:{code.co_names}".encode("utf-8", "replace")
    return hashlib.blake2b(b"".join([head, code.co_code, *inner]), digest_size=8).hexdigest()


class _Walk:
    def __init__(self, tokens: Tokens, *, static: bool = False) -> None:
        self._tokens = tokens
        self._static = static
        self._bounds = (_STATIC_NODES, _STATIC_DEPTH) if static else (_NODES, _DEPTH)
        self.identities: list[int] = []
        self.objects: list[tuple[str, str]] = []  # the path and the type of each of these
        self.digest: list[str] = []
        self.parts: list[tuple[str, str]] = []
        self._nodes = 0
        self._open: set[int] = set()
        self._unseen = False
        self.arrays: list[int] = []

    def note(self, value: Any) -> str:
        notes: list[str] = []
        if isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN is the only float unequal to itself
            notes.append("nan equals nothing, itself included")
        if self.arrays:
            notes.append("array contents are not compared")
        if self._unseen:
            notes.append("only part of it was looked at")
        return "; ".join(notes)

    def text(self, value: Any, path: str, depth: int) -> str:
        """The text of a value; adds to the digest, the identities and the parts as it goes."""
        self._nodes += 1
        nodes, deepest = self._bounds
        if self._nodes > nodes or depth > deepest or id(value) in self._open:
            self._unseen = True
            self.digest.append("…")
            return "…"
        plain = _plain(value)
        if plain is not None:
            same = plain.replace("-0.0", "0.0") if self._static and _is_zero(value) else plain
            self.digest.append(f"{type(value).__name__}={same}")
            if path and len(self.parts) < _PARTS:
                self.parts.append((path, _cut(plain)))
            return plain
        self._open.add(id(value))
        try:
            return self._structured(value, path, depth)
        finally:
            self._open.discard(id(value))

    def _by_identity(self, value: Any, path: str, kind: str = "") -> None:
        """Note an object that equals only itself."""
        self.identities.append(self._tokens.of(value))
        kind = kind or ("jitted function" if jits.is_jitted(value) else type_name(type(value)))
        self.objects.append((path, kind))

    def _unnamed(self, value: Any, depth: int) -> str:
        """The text of a value that no path leads to: its parts have no names."""
        before = len(self.parts)
        text = self.text(value, "", depth)
        del self.parts[before:]
        return text

    def _structured(self, value: Any, path: str, depth: int) -> str:
        kind = type(value)
        self.digest.append(type_name(kind))
        if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
            return self._callable(value, path, depth)
        if arrays.is_array(value):
            facts = arrays.facts_of(value)
            self.arrays.append(self._tokens.of(value))
            text = aval_text(facts.shape, facts.dtype, weak=facts.weak_type) if facts else kind.__name__
            self.digest.append(text)
            if path and len(self.parts) < _PARTS:
                self.parts.append((path, text))
            return text
        if kind is tuple or kind is list or kind is set or kind is frozenset:
            return self._sequence(value, path, depth)
        if isinstance(value, dict):
            return self._mapping(value, path, depth)
        if kind is nnx.Rest:
            self._unnamed(tuple(value), depth)
            return "..."
        if isinstance(value, tuple):  # a named tuple, or a tuple of the user's own
            names = getattr(kind, "_fields", None)
            if names and len(names) == len(value):
                return self._fields(kind, list(zip(names, value, strict=True)), path, depth)
            return self._sequence(tuple(value), path, depth)
        inside = jits.function_of(value) if jits.is_jitted(value) else None
        if inside is not None:  # compared by identity, and holds a function that has a look
            self._by_identity(value, path)
            return f"<jitted {self.text(inside, path, depth + 1)}>"
        foreign = objects.text_of(value)
        if foreign is not None:
            self.digest.append(foreign)
            if objects.is_anonymous(value):
                self._by_identity(value, path)
                inside = objects.wrapped_by(value)
                if inside is not None:
                    self.text(inside, path, depth + 1)
            return foreign
        return self._object(value, path, depth)

    def _sequence(self, value: Any, path: str, depth: int) -> str:
        items = sorted(value, key=_order) if isinstance(value, (set, frozenset)) else value
        inner = [self.text(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(items)]
        if isinstance(value, tuple):
            return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
        return f"[{', '.join(inner)}]" if isinstance(value, list) else f"{{{', '.join(inner)}}}"

    def _mapping(self, value: dict[Any, Any], path: str, depth: int) -> str:
        inner: list[str] = []
        for key, item in list(dict.items(value)):
            name = self._unnamed(key, depth + 1)
            inner.append(f"{name}: {self.text(item, f'{path}[{name}]', depth + 1)}")
        return f"{{{', '.join(inner)}}}"

    def _fields(self, kind: type, fields: list[tuple[str, Any]], path: str, depth: int) -> str:
        inner = []
        for name, item in fields:
            self.digest.append(name)
            inner.append(f"{name}={self.text(item, f'{path}.{name}', depth + 1)}")
        return f"{kind.__qualname__}({', '.join(inner)})"

    def _callable(self, value: Any, path: str, depth: int) -> str:
        if not isinstance(value, types.MethodType):  # the others are compared by identity: once is enough
            token = self._tokens.of(value)
            if token in self.identities:
                self.digest.append("again")
                return f"<{getattr(value, '__qualname__', 'partial')}>"
            self._by_identity(value, path)
        if isinstance(value, functools.partial):
            inner = self.text(value.func, path, depth + 1)
            for at, item in enumerate(value.args):
                self.text(item, f"{path}.args[{at}]", depth + 1)
            for name, item in value.keywords.items():
                self.text(item, f"{path}.{name}", depth + 1)
            return f"partial({inner})"
        if isinstance(value, types.MethodType):  # two methods are equal when their function and object are the same
            self._by_identity(value.__self__, path, "method")
            self.digest.append(code_digest(value.__func__.__code__) if _has_code(value.__func__) else "")
            self._object(value.__self__, f"{path}.__self__", depth + 1, identity=False)
            return f"<method {value.__func__.__qualname__}>"
        self.digest.append(code_digest(value.__code__))
        for item in value.__defaults__ or ():
            self._unnamed(item, depth + 1)
        for name, item in closure_of(value):
            self.digest.append(name)
            self.text(item, f"{path}.{name}", depth + 1)
        return f"<function {value.__qualname__}>"

    def _object(self, value: Any, path: str, depth: int, *, identity: bool = True) -> str:
        kind: Any = type(value)
        if identity and kind.__eq__ is object.__eq__:
            self._by_identity(value, path)
        fields = instance_fields(value)
        if self._static:
            compared = compared_fields(kind)
            fields = fields if compared is None else [(name, item) for name, item in fields if name in compared]
        if not fields:
            return f"<{kind.__qualname__} object>"
        return self._fields(kind, fields, path, depth)


def compared_fields(kind: type) -> frozenset[str] | None:
    """The fields that the `__eq__` of a dataclass or of an attrs class compares; None where someone wrote it.

    Of a static value nothing else tells one from another: no counter that a library keeps in its objects, and no field
    that its owner declared as not compared.
    """
    owner = next((one for one in kind.__mro__ if "__eq__" in one.__dict__), object)
    code = getattr(owner.__dict__.get("__eq__"), "__code__", None)
    made = code.co_filename if isinstance(code, types.CodeType) else ""
    if made == "<string>" and "__dataclass_params__" in owner.__dict__:
        fields: Any = owner.__dict__.get("__dataclass_fields__", {})
        return frozenset(name for name, field in fields.items() if field.compare or field.hash)
    if made.startswith("<attrs generated") and "__attrs_attrs__" in owner.__dict__:
        return frozenset(field.name for field in owner.__dict__["__attrs_attrs__"] if field.eq or field.hash)
    return None


def _has_code(function: Any) -> bool:
    return isinstance(getattr(function, "__code__", None), types.CodeType)


def _order(item: Any) -> str:
    return _plain(item) or type(item).__name__


def _plain(value: Any) -> str | None:
    """The text of a value that has no parts, or None."""
    kind = type(value)
    if kind is int:
        return str(value) if value.bit_length() < 600 else f"<int of {value.bit_length()} bits>"
    if kind is str or kind is bytes:
        return repr(value if len(value) <= 2 * _TEXT else value[: 2 * _TEXT])
    if value is None or kind in (bool, float, complex, range, slice):
        return repr(value)
    if isinstance(value, np.generic):
        return f"{kind.__name__}({value!s})"
    if isinstance(value, enum.Enum):
        return f"{kind.__qualname__}.{value._name_}"
    if isinstance(value, type):
        return type_name(value)
    if isinstance(value, (types.BuiltinFunctionType, types.ModuleType)) or (
        inspect.isroutine(value) and not _has_parts(value)
    ):
        return f"<{getattr(value, '__name__', kind.__name__)}>"
    if isinstance(value, str):
        return str.__repr__(value[: 2 * _TEXT])
    if isinstance(value, (int, float)) and kind.__module__.split(".")[0] not in ("numpy", "jax"):
        return f"{kind.__name__}({int.__repr__(value) if isinstance(value, int) else float.__repr__(value)})"
    if kind.__module__.split(".")[0] in _TRUSTED and not _has_parts(value):
        return repr(value)[: 2 * _TEXT]
    return None


def _has_parts(value: Any) -> bool:
    return (
        isinstance(value, (types.FunctionType, types.MethodType, tuple, list, dict, set, frozenset))
        or arrays.is_array(value)
        or jits.is_jitted(value)
    )


def _is_zero(value: Any) -> bool:
    kind = type(value)
    return (kind in (float, complex) or isinstance(value, np.inexact)) and bool(value == 0)


def closure_of(function: types.FunctionType) -> list[tuple[str, Any]]:
    """The closure variables of a function that have a value, by name."""
    found: list[tuple[str, Any]] = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:  # not assigned yet
            continue
    return found


def instance_fields(value: Any) -> list[tuple[str, Any]]:
    """The attributes stored in an object itself, read without running properties or `__getattr__`."""
    fields: list[tuple[str, Any]] = []
    with contextlib.suppress(AttributeError):
        fields.extend(object.__getattribute__(value, "__dict__").items())
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            member = kind.__dict__.get(name)
            if isinstance(member, types.MemberDescriptorType):
                try:
                    fields.append((name, member.__get__(value)))
                except AttributeError:
                    continue
    return fields
