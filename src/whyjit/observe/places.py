"""Which source is the user's, and the line of it that a call came from."""

from __future__ import annotations

import os
import sysconfig
from inspect import CO_VARARGS, CO_VARKEYWORDS
from typing import TYPE_CHECKING

from whyjit.model.source import Location

if TYPE_CHECKING:
    from types import CodeType, FrameType

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STDLIB = tuple(
    {os.path.realpath(path) + os.sep for name in ("stdlib", "platstdlib") if (path := sysconfig.get_paths().get(name))}
)
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_GENERATED = ("<frozen ", "<string>", "<attrs", "<@beartype", "<__array_function__")
_JAX = (
    f"{os.sep}jax{os.sep}_src{os.sep}",
    f"{os.sep}jax{os.sep}experimental{os.sep}",
    f"{os.sep}jax{os.sep}numpy{os.sep}",
)

_ARRAY = os.path.join("jax", "_src", "array.py")
_CALLBACK = os.path.join("jax", "_src", "callback.py")

_kinds: dict[str, str] = {}


def kind_of_file(filename: str) -> str:
    """Whose a file is: the "user"'s, "jax"'s own, or another "library"'s, the standard library among them."""
    kind = _kinds.get(filename)
    if kind is None:
        kind = _kinds[filename] = _kind(filename)
    return kind


def _kind(filename: str) -> str:
    if filename.startswith(_GENERATED) or filename.endswith((".pyx", ".pxd", ".pxi")):  # compiled: no source to show
        return "library"
    installed = any(part in filename for part in _INSTALLED)
    if any(part in filename for part in _JAX) and installed:
        return "jax"
    if installed or filename.startswith(_OWN):
        return "library"
    path = os.path.realpath(filename)
    return "library" if path.startswith(_STDLIB) else "user"


# Keyed by `id`, since hashing a code object means hashing its bytecode; the code is held, so that no id is used again.
_user_code: dict[int, tuple[CodeType, bool]] = {}
_locations: dict[tuple[int, int], tuple[CodeType, Location]] = {}
_CODES = 50_000
UNKNOWN = Location("", 0, "")


def is_user_code(code: CodeType) -> bool:
    """Whether a code object is the user's own."""
    known = _user_code.get(id(code))
    if known is None:
        if len(_user_code) >= _CODES:  # a program with ever new code must not fill the memory
            _user_code.clear()
        known = _user_code[id(code)] = (code, kind_of_file(code.co_filename) == "user")
    return known[1]


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of the user's own code, from `frame` outwards."""
    known = _user_code
    while frame is not None:
        code = frame.f_code
        answer = known.get(id(code))
        if answer[1] if answer is not None else is_user_code(code):
            return frame
        frame = frame.f_back
    return None


def called_from_user(frame: FrameType | None) -> str:
    """The function of a library's that the user's own code called, from `frame` outwards."""
    name = ""
    while frame is not None and not is_user_code(frame.f_code):
        if not frame.f_code.co_filename.endswith("traceback_util.py"):
            name = frame.f_code.co_qualname
        frame = frame.f_back
    return name


def marks(frame: FrameType | None) -> tuple[str, ...]:
    """What is worth knowing of an operation called outside a jit, besides the user's line.

    `by optax's init_fn`: done by what a library does when the line calls it (JAX's own functions are none). `iterated`:
    an array is gone through element by element. `in a callback`: by a function that a staged program calls back.
    """
    found: list[str] = []
    inside: list[FrameType] = []
    while frame is not None and not is_user_code(frame.f_code):
        code = frame.f_code
        if code.co_filename.endswith(_ARRAY) and "_iter" in code.co_qualname:
            found.append("iterated")
        if not code.co_filename.endswith("traceback_util.py"):
            inside.append(frame)
        frame = frame.f_back
    found += _by_library(inside)
    while frame is not None:
        if frame.f_code.co_name == "_wrapped_callback" and frame.f_code.co_filename.endswith(_CALLBACK):
            found.append("in a callback")
            break
        frame = frame.f_back
    return tuple(dict.fromkeys(found))


def _by_library(inside: list[FrameType]) -> tuple[str, ...]:
    """The library's function that the user's line called; `inside` are the frames within it, the innermost first.

    A wrapper, which only hands on whatever it is given, is passed over for what it calls.
    """
    for frame in reversed(inside):
        made = _made_by(frame)
        if made is not None:
            return _mark(made.__module__, made.__name__)
        if not _hands_on(frame.f_code):
            return _of_library(frame)
    return _of_library(inside[-1]) if inside else ()


def _of_library(frame: FrameType) -> tuple[str, ...]:
    code = frame.f_code
    if kind_of_file(code.co_filename) != "library":
        return ()
    name = code.co_qualname.rpartition("<locals>.")[2].removesuffix(".__init__")
    return _mark(str(frame.f_globals.get("__name__", "")), name)


def _mark(module: str, name: str) -> tuple[str, ...]:
    return (f"by {module.partition('.')[0]}'s {name}",)


def _made_by(frame: FrameType) -> type | None:
    """The class that a metaclass's call makes an object of."""
    code = frame.f_code
    # Asking for a frame's locals keeps them alive as they are now until it returns, so only a metaclass is asked.
    if code.co_name == "__call__" and code.co_argcount and code.co_varnames[0] != "self":
        first = frame.f_locals.get(code.co_varnames[0])
        return first if isinstance(first, type) else None
    return None


def _hands_on(code: CodeType) -> bool:
    """Whether a function takes any arguments, besides an object of its own."""
    return bool(code.co_flags & CO_VARARGS and code.co_flags & CO_VARKEYWORDS) and code.co_argcount <= 1


def location_of(frame: FrameType | None) -> Location:
    """The line a frame stands at; one object for each instruction, as long as it is known."""
    if frame is None:
        return UNKNOWN
    code = frame.f_code
    at = frame.f_lasti
    key = (id(code), at)
    found = _locations.get(key)
    if found is None:
        place = Location(code.co_filename, frame.f_lineno or 0, code.co_qualname)
        if frame.f_lasti != at:  # another thread's frame, which has gone on: the line may not be that instruction's
            return place
        if len(_locations) >= _CODES:
            _locations.clear()
        found = _locations[key] = (code, place)
    return found[1]


def forget() -> None:
    """Drop what was remembered about code objects, so that none is kept alive by it."""
    _user_code.clear()
    _locations.clear()
