"""Parameters of equations as values that can be compared, and what is inside them.

Two equations with equal keys do the same. What only names things is left out; functions among the parameters are
compared by their code and by what they have captured, never by name alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Names, weak types (which decide nothing once a program is staged), and rules for derivatives, which are compared by
# taking derivatives.
_LEFT_OUT = frozenset(
    {
        *("name", "debug_info", "debug", "weak_type"),
        *("jvp_jaxpr_fun", "jvp_jaxpr_thunk", "fwd_jaxpr_thunk", "bwd", "out_trees"),
    }
)


def is_program(value: Any) -> bool:
    """Whether a parameter is a staged program, with its constants or without."""
    return hasattr(value, "jaxpr") or (hasattr(value, "eqns") and hasattr(value, "invars"))


def programs_in(value: Any) -> list[Any]:
    """The staged programs in a parameter."""
    if is_program(value):
        return [value]
    return [part for part in value if is_program(part)] if isinstance(value, (tuple, list)) else []


def key_of(params: dict[str, Any], without: frozenset[str] = frozenset()) -> tuple[Any, ...]:
    """The parameters but for staged programs and those named, as one comparable value."""
    return tuple(
        (name, _key(value))
        for name, value in sorted(params.items())
        if name not in _LEFT_OUT and name not in without and not programs_in(value)
    )


def _key(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return ("array", str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, (tuple, list)):
        return tuple(_key(part) for part in value)
    if isinstance(value, dict):
        return tuple((str(name), _key(part)) for name, part in value.items())
    if value is None or isinstance(value, (bool, int, float, str, type)):
        return (type(value).__name__, repr(value))
    if callable(value):
        return _function(value)
    return (type(value).__name__, _ADDRESS.sub("", str(value)))


def _function(value: Callable[..., Any]) -> Any:
    if isinstance(value, functools.partial):
        return ("partial", _key(value.func), _key(value.args), _key(value.keywords))
    code = getattr(value, "__code__", None)
    if code is None:
        return ("object", id(value))
    captured = getattr(value, "__closure__", None) or ()
    return ("function", code, tuple(_captured(cell) for cell in captured), _key(getattr(value, "__defaults__", None)))


def _captured(cell: Any) -> Any:
    try:
        value = cell.cell_contents
    except ValueError:
        return "empty"
    plain = isinstance(value, (bool, int, float, str, np.ndarray, np.generic, type(None)))
    return _key(value) if plain else ("object", id(value))
