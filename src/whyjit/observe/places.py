"""Which source is the user's, and the line of it that a call came from."""

from __future__ import annotations

import os
import sysconfig
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

_kinds: dict[str, str] = {}


def kind_of_file(filename: str) -> str:
    """Whose a file is: the "user"'s, "jax"'s own, or another "library"'s, the standard library among them."""
    kind = _kinds.get(filename)
    if kind is None:
        kind = _kinds[filename] = _kind(filename)
    return kind


def _kind(filename: str) -> str:
    if filename.startswith(_GENERATED):
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


def by_library(frame: FrameType | None) -> tuple[str, ...]:
    """A mark for what a library does when the user's line calls it: `by optax's init_fn`; none for JAX's functions."""
    last = None
    while frame is not None and not is_user_code(frame.f_code):
        if not frame.f_code.co_filename.endswith("traceback_util.py"):
            last = frame
        frame = frame.f_back
    if last is None or kind_of_file(last.f_code.co_filename) != "library":
        return ()
    package = str(last.f_globals.get("__name__", "")).partition(".")[0]
    return (f"by {package}'s {_called_as(last)}",)


def _called_as(frame: FrameType) -> str:
    """What a frame's function is to its caller: a class where its metaclass makes an object of it."""
    code = frame.f_code
    # Asking for a frame's locals keeps them alive as they are now until it returns, so only a metaclass is asked.
    if code.co_name == "__call__" and code.co_argcount and code.co_varnames[0] != "self":
        first = frame.f_locals.get(code.co_varnames[0])
        if isinstance(first, type):
            return first.__name__
    return code.co_qualname.rpartition("<locals>.")[2].removesuffix(".__init__")


def location_of(frame: FrameType | None) -> Location:
    """The line a frame stands at; one object for each instruction, as long as it is known."""
    if frame is None:
        return UNKNOWN
    code = frame.f_code
    key = (id(code), frame.f_lasti)
    found = _locations.get(key)
    if found is None:
        if len(_locations) >= _CODES:
            _locations.clear()
        place = Location(code.co_filename, frame.f_lineno or 0, code.co_qualname)
        found = _locations[key] = (code, place)
    return found[1]


def forget() -> None:
    """Drop what was remembered about code objects, so that none is kept alive by it."""
    _user_code.clear()
    _locations.clear()
