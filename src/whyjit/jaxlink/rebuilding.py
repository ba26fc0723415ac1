"""In a process of its own: functions made anew that `whyjit.jaxlink.carrying` has taken apart.

A nested function's code is found in the compiled source of its module, by its qualified name, its line and a digest;
what it closes over comes with it. Where the module's source is another one than was recorded, a patched one, the code
is the one that stands at the same place among the functions of its name.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import hashlib
import importlib
import io
import linecache
import pickle
import sys
import tokenize
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from whyjit.model.arguments import Array

# The variable of a module that was loaded for a trial: its recorded text and the one that was run.
TEXTS = "__whyjit_texts__"
# Classes that were made anew for such a module.
_CLASSES = "__whyjit_classes__"
_SEPARATOR = "\x1f"
# How compiled code reads a name that is no function's own.
_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})


class CannotRebuild(Exception):  # noqa: N818 - told as the reason
    """Why a function cannot be made anew."""


class Place(NamedTuple):
    """Where a function's code is: the module, its qualified name, its line, and a digest of what it is made from."""

    module: str
    qualname: str
    line: int
    digest: str

    def encoded(self) -> str:
        """One text, in which no name of the program stands alone."""
        return _SEPARATOR.join(("", *map(str, self)))


def loads(data: bytes, arrays: Sequence[Array], thaw: Callable[[Array], Any]) -> Any:
    """The object that was pickled. Raises `CannotRebuild`, or whatever the program's own code raises."""
    return _Unpickler(io.BytesIO(data), [functools.cache(functools.partial(thaw, one)) for one in arrays]).load()


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, arrays: Sequence[Callable[[], Any]]) -> None:
        super().__init__(stream)
        self._arrays = arrays

    def persistent_load(self, number: Any) -> Any:
        """An array, the same one each time."""
        return self._arrays[number]()


# What pickles call.


def by_name(module: str, name: str) -> Any:
    """The object of that name in a module."""
    return attribute(importlib.import_module(module), name)


def attribute(holder: Any, name: str) -> Any:
    """What a dotted name leads to from an object."""
    return functools.reduce(getattr, name.split("."), holder)


def cell() -> types.CellType:
    """A cell of a closure with nothing in it."""
    return types.CellType()


def fill_cell(made: types.CellType, contents: tuple[Any]) -> None:
    """Give a cell its contents."""
    (made.cell_contents,) = contents


def function(place: str, names: tuple[str, ...], closure: tuple[types.CellType, ...]) -> types.FunctionType:  # noqa: ARG001 - names are for `whyjit.rewrite.loading`
    """A function with that closure, its code found in its module."""
    module, qualname, line, wanted = place.split(_SEPARATOR)[1:]
    home = sys.modules.get(module) or importlib.import_module(module)
    there = Place(module, qualname, int(line), wanted)
    code, before = _code(home, functools.partial(_is, place=there), qualname.rpartition(".")[2])
    cells = dict(zip(before.co_freevars, closure, strict=True))
    missing = [name for name in code.co_freevars if name not in cells]
    if missing:
        raise CannotRebuild(f"`{code.co_name}` would close over `{missing[0]}`, which it did not when it was recorded")
    return types.FunctionType(code, home.__dict__, code.co_name, None, tuple(cells[name] for name in code.co_freevars))


def fill_function(made: types.FunctionType, state: dict[str, Any]) -> None:
    """Give a function its defaults, its names and its attributes."""
    for name, value in state.items():
        setattr(made, name, value)


def local_class(place: str, names: tuple[str, ...], bases: tuple[type, ...], cells: dict[str, Any]) -> type:  # noqa: ARG001 - as above
    """A class whose body is found in its module by one of its methods, and run again. The line numbers the class."""
    module, qualname, number, wanted = place.split(_SEPARATOR)[1:]
    home = sys.modules.get(module) or importlib.import_module(module)
    known: dict[tuple[str, str], type] = home.__dict__.setdefault(_CLASSES, {})
    name = qualname.rpartition(".")[2]
    if (qualname, number) not in known:
        code, _ = _code(home, lambda one: one.co_qualname == qualname and any(map(_with(wanted), _inside(one))), name)
        missing = [free for free in code.co_freevars if free not in cells]
        if missing:
            raise CannotRebuild(f"the class `{name}` is made inside a function and needs its `{missing[0]}`")
        if _is_decorated(home, code):
            raise CannotRebuild(f"the class `{name}` is made inside a function, under a decorator")
        closure = tuple(cells[free] for free in code.co_freevars)
        body = types.FunctionType(code, home.__dict__, name, None, closure)
        known[qualname, number] = builtins.__build_class__(body, name, *bases)
    return known[qualname, number]


def _with(wanted: str) -> Callable[[types.CodeType], bool]:
    return lambda code: digest(code) == wanted


def _is_decorated(home: types.ModuleType, code: types.CodeType) -> bool:
    """Whether a class has decorators: its code begins where the first of them stands, and not at its own word."""
    with contextlib.suppress(OSError):
        return not _line(home, code.co_firstlineno).lstrip().startswith("class ")
    return True


def _line(home: types.ModuleType, number: int) -> str:
    texts = home.__dict__.get(TEXTS)
    if texts is not None:
        return str(texts[2].split("\n")[number - 1])
    return linecache.getline(home.__file__ or "", number)


def method(function: Any, owner: Any) -> types.MethodType:
    """A method bound to its object."""
    return types.MethodType(function, owner)


def jitted(inner: Any, options: dict[str, Any]) -> Any:
    """A function jitted as it was."""
    import jax

    return jax.jit(inner, **options)


# Code.


def digest(code: types.CodeType) -> str:
    """What tells a function's code from any other: names, constants, the place in the source of each part."""
    parts = (code.co_qualname, code.co_varnames, code.co_freevars, code.co_names, tuple(code.co_positions()))
    constants = [_constant(one) for one in code.co_consts]
    return hashlib.blake2b(repr((parts, constants)).encode("utf-8", "replace"), digest_size=10).hexdigest()


def _constant(value: Any) -> Any:
    if isinstance(value, types.CodeType):
        return digest(value)
    return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)


def globals_of(code: types.CodeType) -> list[str]:
    """The names of a module that a function may read, now or in a function inside it."""
    import dis

    found: dict[str, None] = {}
    waiting = [code]
    while waiting:
        one = waiting.pop()
        found.update((str(step.argval), None) for step in dis.get_instructions(one) if step.opname in _LOADS)
        waiting += _inside(one)
    return list(found)


def _inside(code: types.CodeType) -> list[types.CodeType]:
    return [part for part in code.co_consts if isinstance(part, types.CodeType)]


def _code(
    home: types.ModuleType, meant: Callable[[types.CodeType], bool], name: str
) -> tuple[types.CodeType, types.CodeType]:
    """The code that is meant in the module as it is now, and as it was recorded."""
    texts = home.__dict__.get(TEXTS)
    if texts is None:
        before = now = _whole(home)
    else:
        file, recorded, text = texts
        before, now = _compiled(recorded, file), _compiled(text, file)
    path = next((path for path, code in _walk(before) if meant(code)), None)
    if path is None:
        raise CannotRebuild(f"`{name}` in the module {home.__name__} is no longer what was recorded")
    return _follow(now, path, name), _follow(before, path, name)


def _whole(home: types.ModuleType) -> types.CodeType:
    """The compiled source of an imported module: as its loader has it, else from its file."""
    loader: Any = getattr(home, "__loader__", None)
    whole = None
    with contextlib.suppress(ImportError, AttributeError):
        whole = loader.get_code(home.__name__)
    if isinstance(whole, types.CodeType):
        return whole
    try:
        with tokenize.open(home.__file__ or "") as stream:
            return _compiled(stream.read(), home.__file__ or "")
    except (OSError, SyntaxError, AttributeError, UnicodeDecodeError):
        raise CannotRebuild(f"the source of the module {home.__name__} is not to be had") from None


@functools.lru_cache(maxsize=64)
def _compiled(text: str, file: str) -> types.CodeType:
    return compile(text, file, "exec", dont_inherit=True)


def _is(code: types.CodeType, place: Place) -> bool:
    return code.co_firstlineno == place.line and code.co_qualname == place.qualname and digest(code) == place.digest


Step = tuple[str, int, int]  # a name, which one of it, and how many there are


def _walk(code: types.CodeType, path: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], types.CodeType]]:
    """All functions and classes inside a piece of code, each with the way to it."""
    inside = _inside(code)
    for at, part in enumerate(inside):
        before = sum(other.co_name == part.co_name for other in inside[:at])
        total = sum(other.co_name == part.co_name for other in inside)
        here = (*path, (part.co_name, before, total))
        yield here, part
        yield from _walk(part, here)


def _follow(code: types.CodeType, path: Sequence[Step], wanted: str) -> types.CodeType:
    for name, at, total in path:
        alike = [part for part in _inside(code) if part.co_name == name]
        if len(alike) != total:
            raise CannotRebuild(f"in the changed source, `{wanted}` cannot be told from others of its name")
        code = alike[at]
    return code
