"""The birth of JAX's tracer errors, and the moment an exception leaves JAX.

Evidence, on 0.6.2, 0.8.3, 0.10.2 and 0.12.0.1: five public classes of `jax.errors` are made with the tracer (or its
type) as first argument; `UnexpectedTracerError` is made in a function with the tracer in its local `tracer`. Every
function of JAX's API asks `traceback_util._is_under_reraiser(exception)`, by global look-up, when an exception passes
through it and before any frame is removed from the traceback: False means that it is about to reach the user.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

from whyjit.jaxlink.doors import Replaced, stand_in
from whyjit.jaxlink.missing import Missing
from whyjit.jaxlink.tracers import is_tracer

_WITH_TRACER = (
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "TracerArrayConversionError",
    "ConcretizationTypeError",
    "NonConcreteBooleanIndexError",
)
_WITHOUT_TRACER = "UnexpectedTracerError"
TRACER_ERRORS = frozenset({*_WITH_TRACER, _WITHOUT_TRACER})
# Locals of JAX's raising functions that hold the tracer an error is about.
_ABOUT = ("tracer", "arg", "self", "val")


def watch_births(born: Callable[[BaseException, Any], None]) -> list[Replaced] | Missing:
    """Have `born(error, tracer)` called when JAX makes a tracer error; the tracer is None where JAX does not tell."""
    from jax import errors

    undo: list[Replaced] = []
    for name in (*_WITH_TRACER, _WITHOUT_TRACER):
        kind = getattr(errors, name, None)
        if not isinstance(kind, type):
            continue
        undo.append(_watch_class(kind, born))
    return undo or Missing("jax.errors has none of the tracer errors")


def _watch_class(kind: Any, born: Callable[[BaseException, Any], None]) -> Replaced:
    original = kind.__init__

    def __init__(self: BaseException, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it takes the place of one
        original(self, *args, **kwargs)
        if type(self).__init__ is __init__:  # not on the way through a parent's __init__
            subject = args[0] if args and is_tracer(args[0]) else _subject(sys._getframe(1).f_locals)
            born(self, subject)

    return stand_in(kind, "__init__", __init__)


def _subject(local: dict[str, Any]) -> Any:
    value = local.get("tracer")
    return value if is_tracer(value) else None


def subject_in(local: dict[str, Any]) -> Any:
    """The tracer that a raising frame of JAX's is about, or None."""
    return next((local[name] for name in _ABOUT if name in local and is_tracer(local[name])), None)


def watch_exit(leaving: Callable[[BaseException, bool], None]) -> Replaced | Missing:
    """Have `leaving(exception, last)` called when an exception passes a function of JAX's; `last` is the outermost."""
    try:
        from jax._src import traceback_util
    except ImportError as fault:
        return Missing(f"jax._src.traceback_util cannot be imported: {fault}")
    original = getattr(traceback_util, "_is_under_reraiser", None)
    if original is None:
        return Missing("jax._src.traceback_util has no _is_under_reraiser")
    if len(inspect.signature(original).parameters) != 1:
        return Missing(f"jax._src.traceback_util._is_under_reraiser takes {inspect.signature(original)}")

    def _is_under_reraiser(exception: BaseException) -> bool:
        under = bool(original(exception))
        leaving(exception, not under)
        return under

    return stand_in(traceback_util, "_is_under_reraiser", _is_under_reraiser)


def is_boundary(function: str) -> bool:
    """Whether a function of JAX's is the wrapper that every part of its API stands in."""
    return function == "reraise_with_filtered_traceback"
