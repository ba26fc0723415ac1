"""Wrappers that hide the user's function and arguments from a jit, seen through: other packages' and JAX's own.

Each is known by the file of the frame that calls JAX, so nothing of theirs is imported; a package that is not in use
costs nothing.
"""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink import arrays, pmaps
from whyjit.jaxlink.missing import Missing
from whyjit.observe.signatures import Call

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_EQUINOX_JIT = f"{os.sep}equinox{os.sep}_jit.py"
_FRAMES = 12


class Seen(NamedTuple):
    """The user's function behind a wrapper, its arguments as the user gave them, and which of them are static.

    `made` is the function object that JAX's caches know it by.
    """

    function: Any
    made: Any
    signature: inspect.Signature | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    static_argnums: tuple[int, ...] = ()
    leaf_is_static: Callable[[Any], bool] | None = None


def see_through(function: Any, frame: FrameType | None) -> Seen | None:
    """What stands behind `function`, called from `frame`, or None where it is the user's own already."""
    code = getattr(function, "__code__", None)
    if code is not None and code.co_filename.endswith(_EQUINOX_JIT):
        found = _call(frame, _is_equinox)
        return None if found is None else _equinox(function, found.f_locals)
    if pmaps.may_be(function):
        found = _call(frame, pmaps.is_call)
        return None if found is None else _pmap(found)
    return None


def call_of(seen: Seen) -> Call:
    """The call as the user wrote it."""
    return Call(
        seen.signature,
        seen.args,
        seen.kwargs,
        seen.static_argnums,
        leaf_is_static=seen.leaf_is_static,
        wrapped=True,
    )


def arguments(frame: FrameType | None, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments as the user gave them to a wrapper that called from `frame`; else those that JAX got."""
    found = _call(frame, lambda one: _is_equinox(one) or pmaps.is_call(one))
    names = {} if found is None else found.f_locals
    return names.get("args", args), names.get("kwargs", kwargs)


def _call(frame: FrameType | None, wanted: Callable[[FrameType], bool]) -> FrameType | None:
    for _ in range(_FRAMES):
        if frame is None or wanted(frame):
            return frame
        frame = frame.f_back
    return None


def _is_equinox(frame: FrameType) -> bool:
    return frame.f_code.co_name == "_call" and frame.f_code.co_filename.endswith(_EQUINOX_JIT)


def _equinox(made: Any, names: dict[str, Any]) -> Seen | None:
    """`equinox.filter_jit`: the arrays among the leaves are traced, everything else is static."""
    wrapper, args, kwargs = names.get("jit_wrapper"), names.get("args"), names.get("kwargs")
    if wrapper is None or args is None or kwargs is None:
        return None
    function = wrapper.__wrapped__
    is_static = lambda leaf: not arrays.is_array(leaf)  # noqa: E731
    return Seen(function, made, _signature(function), tuple(args), dict(kwargs), leaf_is_static=is_static)


def _pmap(frame: FrameType) -> Seen | None:
    """`jax.pmap`: JAX keeps one function of its own for all that is made of the user's."""
    found = pmaps.mapped_in(frame)
    if isinstance(found, Missing):
        return None
    function = found.function
    return Seen(function, function, _signature(function), found.args, found.kwargs, found.static_argnums)


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None
