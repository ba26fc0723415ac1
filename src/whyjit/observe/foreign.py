"""Wrappers of other packages that hide the user's function and arguments from JAX, seen through.

Each is known by the file of the frame that calls JAX, so nothing of theirs is imported; a package that is not in use
costs nothing.
"""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink import arrays

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_EQUINOX_JIT = f"{os.sep}equinox{os.sep}_jit.py"
_FRAMES = 12


class Seen(NamedTuple):
    """The user's function behind a wrapper, its arguments as the user gave them, and which leaves are static."""

    function: Any
    signature: inspect.Signature | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    leaf_is_static: Callable[[Any], bool] | None


def see_through(function: Any, frame: FrameType | None) -> Seen | None:
    """What stands behind `function`, called from `frame`, or None where it is the user's own already."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_filename.endswith(_EQUINOX_JIT):
        return None
    found = _equinox_call(frame)
    return None if found is None else _equinox(found.f_locals)


def arguments(frame: FrameType | None, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments as the user gave them to a wrapper that called from `frame`; else those that JAX got."""
    found = _equinox_call(frame)
    names = {} if found is None else found.f_locals
    return names.get("args", args), names.get("kwargs", kwargs)


def _equinox_call(frame: FrameType | None) -> FrameType | None:
    for _ in range(_FRAMES):
        if frame is None:
            return None
        if frame.f_code.co_name == "_call" and frame.f_code.co_filename.endswith(_EQUINOX_JIT):
            return frame
        frame = frame.f_back
    return None


def _equinox(names: dict[str, Any]) -> Seen | None:
    """`equinox.filter_jit`: the arrays among the leaves are traced, everything else is static."""
    wrapper, args, kwargs = names.get("jit_wrapper"), names.get("args"), names.get("kwargs")
    if wrapper is None or args is None or kwargs is None:
        return None
    function = wrapper.__wrapped__
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        signature = None
    return Seen(function, signature, tuple(args), dict(kwargs), lambda leaf: not arrays.is_array(leaf))
