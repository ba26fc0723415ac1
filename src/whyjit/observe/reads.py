"""What a traced function reads from outside, so that a later change of it can be seen.

JAX runs the Python body while it traces and never again for the same key: what the body read from a closure, a global,
or an attribute is a constant of the program. The reads are found in the bytecode; only plain values and arrays count
(an array by its identity, its contents are not read) that are bound to a name or kept under a constant key of a
built-in container, and nothing that the function itself assigns.
"""

from __future__ import annotations

import dis
import functools
import inspect
import types
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink import arrays
from whyjit.model.avals import aval_text
from whyjit.model.source import Location
from whyjit.observe.functions import carried, layers
from whyjit.observe.looks import closure_of
from whyjit.observe.places import is_user_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.observe.looks import Describer

_DEPTH = 3
_READS = 60
_BYTES = 100_000  # of bytecode: some two thousand lines
_MISSING = object()


class Item(NamedTuple):
    """A step into a container by a constant key or index."""

    key: Any


Part = str | Item  # an attribute's name, or a step into a container


class Read(NamedTuple):
    """One value read from outside: how the source writes it, where, and what leads to it again without keeping it."""

    path: str
    location: Location
    root: Any
    base: str
    attributes: tuple[Part, ...]

    def value(self) -> Any:
        """The value now, or a marker where it can no longer be reached."""
        holder = self.root()
        if holder is None:
            return _MISSING
        value = _base(holder, self.base)
        for part in self.attributes:
            value = _item(value, part.key) if isinstance(part, Item) else attribute(value, part)
        return value


def _base(holder: Any, base: str) -> Any:
    if base == "":
        return holder
    if base.startswith("closure:"):
        return dict(closure_of(holder)).get(base[8:], _MISSING)
    return holder.__globals__.get(base[7:], _MISSING)


def _item(value: Any, key: Any) -> Any:
    """What a container of Python's own holds under a key; no code of the user's runs."""
    try:
        if isinstance(value, dict) and type(value).__getitem__ is dict.__getitem__:
            return dict.get(value, key, _MISSING)
        if type(value) in (list, tuple) and isinstance(key, int):
            return value[key]
    except (IndexError, TypeError):
        pass
    return _MISSING


def _written(name: str, parts: tuple[Part, ...]) -> str:
    """A read as its source writes it."""
    return name + "".join(f"[{part.key!r}]" if isinstance(part, Item) else f".{part}" for part in parts)


def attribute(value: Any, name: str) -> Any:
    """An attribute stored in an object, its class, or a module; properties are not run."""
    if value is _MISSING:
        return _MISSING
    try:
        found = inspect.getattr_static(value, name)
    except AttributeError:
        return _MISSING
    return found.__get__(value) if isinstance(found, types.MemberDescriptorType) else found


def gone(value: Any) -> bool:
    """Whether a read can no longer be made."""
    return value is _MISSING


def is_plain(value: Any, depth: int = _DEPTH) -> bool:
    """Whether a value is one whose change means a changed program: a number, text, an array, or a row of such."""
    if isinstance(value, tuple) or type(value) is list:
        return depth > 0 and len(value) <= 20 and all(is_plain(part, depth - 1) for part in value)
    return (
        value is None
        or isinstance(value, (bool, int, float, complex, str))
        or (arrays.is_array(value) and not arrays.is_tracer(value))
    )


class Budget:
    """The code that is looked through: each object once, and no more than a call of the user's can wait for.

    `grown` are the lists, as the source writes them, that this code itself changes: logs and counters.
    """

    def __init__(self) -> None:
        self.grown: set[str] = set()
        self._seen: set[int] = set()
        self._left = _BYTES

    def takes(self, code: types.CodeType) -> bool:
        """Whether a code object is to be looked through now."""
        if id(code) in self._seen or self._left <= 0:
            return False
        self._seen.add(id(code))
        self._left -= len(code.co_code)
        return True


def reads_of(function: Any, statics: dict[str, Any]) -> list[Read]:
    """The outside values that a function reads, and those that the user's functions it calls read.

    `statics` are the live static arguments by parameter name: their attributes count as outside values, too.
    """
    found: dict[str, Read] = {}
    grown: set[str] = set()
    for layer in layers(function):
        if isinstance(layer, types.FunctionType) and is_user_code(layer.__code__):
            budget = Budget()
            owner = bound_self(function, layer)
            known = dict(statics)
            if owner is not None and layer.__code__.co_varnames:
                known[layer.__code__.co_varnames[0]] = owner
            _collect(layer, layer.__code__, known, found, 0, budget)
            grown |= budget.grown
    return [read for path, read in found.items() if path not in grown]


def bound_self(function: Any, layer: types.FunctionType) -> Any:
    """The object that a layer's function is a method of, where the callable holds it."""
    for outer in layers(function):
        if isinstance(outer, types.MethodType) and outer.__func__ is layer:
            return outer.__self__
        if _call_of(outer) is layer:
            return outer
    return None


def _call_of(outer: Any) -> Any:
    return None if isinstance(outer, (types.FunctionType, type)) else getattr(type(outer), "__call__", None)  # noqa: B004 - the function itself


class _Step(NamedTuple):
    kind: str
    name: str
    attributes: tuple[Part, ...]
    line: int


@functools.lru_cache(maxsize=1000)
def _steps(code: types.CodeType) -> tuple[_Step, ...]:
    """Names read by a code object with the attributes taken from them, in order."""
    return tuple(_find_steps(code))


def _find_steps(code: types.CodeType) -> Iterator[_Step]:
    line = code.co_firstlineno
    current: list[Any] | None = None
    key: list[Any] = []  # the constant that has just been loaded after a name
    for at in dis.get_instructions(code):
        if at.starts_line is not None and at.starts_line is not True and at.starts_line is not False:
            line = at.starts_line
        elif getattr(at, "line_number", None) is not None:
            line = at.line_number  # type: ignore[attr-defined]
        name = at.opname
        if current is not None and name in ("LOAD_ATTR", "LOAD_METHOD") and not key:
            current[2].append(at.argval)
            continue
        if current is not None and key and _subscripts(at):
            current[2].append(Item(key.pop()))
            continue
        if current is not None and name in ("LOAD_CONST", "LOAD_SMALL_INT") and not key and _is_key(at.argval):
            key.append(at.argval)
            continue
        if current is not None and name not in ("CACHE", "NOP", "EXTENDED_ARG", "PUSH_NULL"):
            yield _Step(current[0], current[1], tuple(current[2]), current[3])
            current = None
            key.clear()
        kind = _KINDS.get(name)
        if kind is not None:
            # From 3.13 on one instruction may load two names, or store one and load another: the last is on top.
            read = at.argval[-1] if isinstance(at.argval, tuple) else at.argval
            if isinstance(read, str):
                current = [kind, read, [], line]
    if current is not None:
        yield _Step(current[0], current[1], tuple(current[2]), current[3])


def _subscripts(at: dis.Instruction) -> bool:
    return at.opname == "BINARY_SUBSCR" or (at.opname == "BINARY_OP" and at.argrepr == "[]")


def _is_key(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


_KINDS = {
    "LOAD_GLOBAL": "global",
    "LOAD_NAME": "global",
    "LOAD_DEREF": "closure",
    "LOAD_FAST": "local",
    "LOAD_FAST_LOAD_FAST": "local",
    "STORE_FAST_LOAD_FAST": "local",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": "local",
    "LOAD_FAST_BORROW": "local",
    "LOAD_FAST_CHECK": "local",
}
_STORES = ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_GLOBAL")


@functools.lru_cache(maxsize=1000)
def _stored(code: types.CodeType) -> frozenset[str]:
    """Names that a code object, or one inside it, assigns outside itself: what it writes is no plain constant."""
    names = {at.argval for at in dis.get_instructions(code) if at.opname in _STORES and isinstance(at.argval, str)}
    names |= _subscripted(code)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            names |= _stored(inner)
    return frozenset(names)


def _subscripted(code: types.CodeType) -> set[str]:
    """The names whose items a code object assigns: `seen["n"] = 1`, `seen["n"] += 1`."""
    names: set[str] = set()
    before: list[dis.Instruction] = []
    for at in dis.get_instructions(code):
        if at.opname in ("CACHE", "NOP", "EXTENDED_ARG"):
            continue
        if at.opname in ("STORE_SUBSCR", "DELETE_SUBSCR", "COPY") and len(before) == 2:
            loaded = before[0]
            if loaded.opname in _KINDS or loaded.opname == "LOAD_ATTR":
                names.add(str(loaded.argval))
        before = [*before[-1:], at]
    return names


def _collect(
    function: types.FunctionType,
    code: types.CodeType,
    known: dict[str, Any],
    found: dict[str, Read],
    depth: int,
    budget: Budget,
) -> None:
    if depth > _DEPTH or len(found) >= _READS or not budget.takes(code):
        return
    stored = _stored(code)
    for step in _steps(code):
        if step.name in stored or any(part in stored for part in step.attributes if isinstance(part, str)):
            continue
        reached = _reach(function, step, known)
        if reached is None:
            continue
        read, value = reached
        if type(value) is list and len(read.attributes) < len(step.attributes):
            budget.grown.add(read.path)  # a method of the list, such as `append`
            continue
        if isinstance(value, types.FunctionType):
            if is_user_code(value.__code__):
                inner = _method_self(read, value)
                _collect(value, value.__code__, inner, found, depth + 1, budget)
        elif is_plain(value) and read.path not in found:
            found[read.path] = read
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            _collect(function, inner, known, found, depth + 1, budget)


def _method_self(read: Read, method: types.FunctionType) -> dict[str, Any]:
    """What a method called on a known object knows: the object, under the name of its first parameter."""
    if read.attributes and isinstance(read.attributes[-1], str) and method.__code__.co_varnames:
        owner = Read(read.path, read.location, read.root, read.base, read.attributes[:-1]).value()
        if not gone(owner) and not isinstance(owner, types.ModuleType):
            return {method.__code__.co_varnames[0]: owner}
    return {}


def _reach(function: types.FunctionType, step: _Step, known: dict[str, Any]) -> tuple[Read, Any] | None:
    """The deepest value along the attributes of a step that is not itself stepped into by property or call."""
    if step.kind == "local":
        if step.name not in known or not step.attributes:
            return None
        try:
            root: Any = weakref.ref(known[step.name])
        except TypeError:
            return None
        base = ""
    elif step.kind == "closure" and step.name in known:
        return None
    else:
        root, base = weakref.ref(function), f"{step.kind}:{step.name}"
    place = Location(function.__code__.co_filename, step.line, function.__qualname__)
    best: tuple[Read, Any] | None = None
    for count in range(len(step.attributes) + 1):
        names = step.attributes[:count]
        read = Read(_written(step.name, names), place, root, base, names)
        value = read.value()
        if gone(value):
            break
        if arrays.is_array(value):  # attributes of an array are its type, which is in the key
            return read, value
        best = read, value
        if is_plain(value) and not (type(value) is list and isinstance(next(iter(step.attributes[count:]), ""), Item)):
            break
    return best


def forget() -> None:
    """Drop what was remembered about code objects, so that none is kept alive by it."""
    _steps.cache_clear()
    _stored.cache_clear()


class Watched(NamedTuple):
    """A read with the look it had when it was traced."""

    read: Read
    text: str
    key: tuple[str, str]


def watch(function: Any, statics: dict[str, Any], describer: Describer) -> list[Watched]:
    """The reads of a function, as they are now."""
    watched: list[Watched] = []
    for read in reads_of(function, statics):
        value = read.value()
        if not gone(value) and is_plain(value):
            watched.append(Watched(read, *_seen(value, describer)))
    return watched


def _seen(value: Any, describer: Describer) -> tuple[str, tuple[str, str]]:
    look = describer.look(value)
    if arrays.is_array(value):
        return f"{look.text} (array {describer.number(value)})", (look.look, str(describer.number(value)))
    return look.text, (look.look, look.identity)


def changed(watched: Watched, describer: Describer) -> str | None:
    """The text of the value now, if it is another one than when it was traced."""
    value = watched.read.value()
    if gone(value) or not is_plain(value):
        return None
    text, key = _seen(value, describer)
    return text if key != watched.key else None


def arrays_named(function: Any, statics: dict[str, Any]) -> tuple[dict[int, str], dict[str, set[str]]]:
    """Arrays that a function carries or reads, with the name its source uses: by `id`, and all names by type.

    An array of NumPy's becomes one of JAX's when it is used, so that its type is all it can be known by.
    """
    named: dict[int, str] = {}
    typed: dict[str, set[str]] = {}

    def add(name: str, value: Any) -> None:
        if arrays.is_array(value) and named.setdefault(id(value), name) == name:
            facts = arrays.facts_of(value)
            if facts is not None:
                typed.setdefault(aval_text(facts.shape, facts.dtype), set()).add(name)

    for layer in layers(function):
        for name, value in carried(layer):
            add(name, value)
    for read in reads_of(function, statics):
        add(read.path, read.value())
    return named, typed
