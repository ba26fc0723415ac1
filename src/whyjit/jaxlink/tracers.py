"""Tracers: what they are, what they wrap, and the recorded operations that made them.

Evidence, on 0.6.2, 0.8.3, 0.10.2 and 0.12.0.1: a staging tracer has `_trace.frame` with `invars`, `constvar_to_val` and
`debug_info`. Its operation is `tracer.parent` (with `in_tracers`) from 0.7 on; before that `frame.tracer_to_var` gives
its variable and `frame.eqns` the operations. Tracers of vmap and grad hold the value below them in `val` or `primal`.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from whyjit.jaxlink.missing import Missing

_BELOW = ("primal", "val")
_SEEN = 100_000


class Made(NamedTuple):
    """One recorded operation: its name as a person knows it, and JAX's own record of where it was called."""

    operation: str
    source_info: Any


class History(NamedTuple):
    """What made some tracers of one trace: JAX's records of operations in order, inputs used, values closed over."""

    operations: list[Any]
    inputs: list[int]
    constants: list[Any]


class TraceInfo(NamedTuple):
    """What JAX says about one trace: the function and its place, what it is traced for, its arguments' leaf paths."""

    function: str
    transformation: str
    arguments: tuple[str, ...]
    file: str = ""
    line: int = 0


@functools.cache
def _tracer_type() -> Any:
    from jax.core import Tracer

    return Tracer


def is_tracer(value: Any) -> bool:
    """Whether a value stands for one that is being traced."""
    return isinstance(value, _tracer_type())


def trace_of(tracer: Any) -> Any:
    """The trace a tracer belongs to, or None."""
    return getattr(tracer, "_trace", None)


def is_staging(tracer: Any) -> bool:
    """Whether a tracer records its operations."""
    return hasattr(trace_of(tracer), "frame")


def is_batched(tracer: Any) -> bool:
    """Whether `vmap` maps over this tracer."""
    return type(trace_of(tracer)).__name__ == "BatchTrace"


def layers(tracer: Any) -> tuple[list[Any], list[Any]]:
    """Peel the tracers of vmap, grad and their like: the staging tracers below, and all tracers passed on the way."""
    staging: list[Any] = []
    passed: list[Any] = []
    todo = [tracer]
    while todo and len(passed) < _SEEN:
        current = todo.pop()
        if is_staging(current):
            staging.append(current)
            continue
        passed.append(current)
        below = (getattr(current, name, None) for name in _BELOW)
        todo.extend(value for value in below if value is not current and is_tracer(value))
    return staging, passed


def value_below(tracer: Any) -> Any:
    """What a tracer of vmap or grad stands for, or None."""
    return next((value for name in _BELOW if (value := getattr(tracer, name, None)) is not None), None)


def type_of(value: Any) -> tuple[str, tuple[int, ...]] | Missing:
    """The dtype and shape of a tracer or array, without touching its contents."""
    try:
        aval = getattr(value, "aval", value)
        return str(aval.dtype), tuple(aval.shape)
    except (AttributeError, TypeError) as fault:
        return Missing(f"it has no dtype and shape: {fault}")


def info_of(trace: Any) -> TraceInfo | Missing:
    """What JAX says about a staging trace."""
    debug = getattr(trace.frame, "debug_info", None)
    if debug is None:
        return Missing("JAX kept no debug information for this trace")
    try:
        names = tuple(str(name) for name in debug.arg_names or ())
        function, _, place = str(debug.func_src_info or "").partition(" at ")
        file, _, line = place.rpartition(":")
        return TraceInfo(function, str(debug.traced_for), names, file, int(line) if line.isdigit() else 0)
    except (AttributeError, TypeError) as fault:
        return Missing(f"JAX's debug information has changed: {fault}")


def input_count(trace: Any) -> int:
    """How many inputs a staging trace has."""
    return len(trace.frame.invars)


def history(tracers: list[Any]) -> History | Missing:
    """What made these tracers of one trace. Takes time in proportion to the operations, and no recursion."""
    try:
        if hasattr(tracers[0], "parent"):
            return _history_by_parents(tracers)
        return _history_by_equations(tracers)
    except (AttributeError, TypeError, KeyError) as fault:
        return Missing(f"the operations of this trace cannot be read: {fault}")


def _history_by_parents(tracers: list[Any]) -> History:
    frame = tracers[0]._trace.frame
    positions = {variable: at for at, variable in enumerate(frame.invars)}
    found = History([], [], [])
    done: set[int] = set()
    todo: list[Any] = list(reversed(tracers))
    while todo:
        current = todo.pop()
        if not hasattr(current, "parent"):  # an operation, met again once all it was made from is done
            found.operations.append(current)
            continue
        if id(current) in done:
            continue
        done.add(id(current))
        parent = current.parent
        if parent is None:
            _add_end(found, current.val, positions, frame)
        elif id(parent) not in done:
            done.add(id(parent))
            todo.append(parent)
            todo.extend(reversed(parent.in_tracers))
    return found


def _add_end(found: History, variable: Any, positions: dict[Any, int], frame: Any) -> None:
    if hasattr(variable, "val"):  # a literal
        return
    if variable in positions:
        found.inputs.append(positions[variable])
    elif variable in frame.constvar_to_val:
        constant = frame.constvar_to_val[variable]
        found.constants.append(getattr(constant, "canonical", constant))


def _history_by_equations(tracers: list[Any]) -> History:
    frame = tracers[0]._trace.frame
    variables = (frame.tracer_to_var.get(id(tracer)) for tracer in tracers)
    active = {variable for variable in variables if variable is not None and not hasattr(variable, "val")}
    found = History([], [], [])
    for equation in reversed(frame.eqns):
        if active.isdisjoint(equation.outvars):
            continue
        active.difference_update(equation.outvars)
        active.update(operand for operand in equation.invars if not hasattr(operand, "val"))
        found.operations.append(equation)
    found.operations.reverse()
    found.inputs.extend(at for at, variable in enumerate(frame.invars) if variable in active)
    found.constants.extend(frame.constvar_to_val[variable] for variable in active if variable in frame.constvar_to_val)
    return found


def made_by(record: Any) -> Made:
    """One operation from JAX's record of it."""
    return Made(_operation(record), record.source_info)


def _operation(equation: Any) -> str:
    """The primitive's name, or the name of the function that a nested jit calls."""
    name = str(equation.primitive)
    inner = equation.params.get("name") if name in ("jit", "pjit", "closed_call", "core_call") else None
    return str(inner) if inner else name


def maker(tracer: Any) -> Made | None:
    """The operation that made a tracer, also when its trace has ended; None for an argument of the traced function."""
    if hasattr(tracer, "parent"):
        parent = tracer.parent
        return None if parent is None else Made(_operation(parent), getattr(tracer, "_line_info", parent.source_info))
    frame = getattr(trace_of(tracer), "frame", None)
    variable = getattr(frame, "tracer_to_var", {}).get(id(tracer))
    if any(variable is one for one in getattr(frame, "invars", ())):
        return None
    info = getattr(tracer, "_line_info", None)
    return None if info is None else Made("", info)


def has_ended(trace: Any) -> bool | Missing:
    """Whether a trace has run to its end. JAX then empties what it kept for it; after an error it does not.

    Evidence: `DynamicJaxprTrace.invalidate` empties `frame.tracers` until 0.6; from 0.7 on it puts a plain dict in the
    place of the weak one in `frame.constid_to_tracer`. Other traces say so themselves.
    """
    frame = getattr(trace, "frame", None)
    if frame is None:
        valid = getattr(trace, "is_valid", None)
        return Missing("the trace does not say whether it is valid") if valid is None else not valid()
    if hasattr(frame, "tracers"):
        return not frame.tracers
    if not hasattr(frame, "constid_to_tracer"):
        return Missing("the trace keeps no record of constants")
    return type(frame.constid_to_tracer) is dict


def debug_of(tracer: Any) -> TraceInfo | Missing:
    """What JAX says about the trace a tracer was made in, also when that trace has ended."""
    trace = trace_of(tracer)
    if trace is None or not hasattr(trace, "frame"):
        return Missing("the value was made by a transformation that keeps no name")
    return info_of(trace)
