"""What JAX is in the middle of: staging a program, differentiating, mapping."""

from __future__ import annotations

from typing import Any, NamedTuple

from whyjit.jaxlink.missing import Missing

# The trace classes of each version, by what a person calls the transformation.
_TRANSFORMS = {
    "JVPTrace": "jvp",
    "LinearizeTrace": "grad",
    "BatchTrace": "vmap",
    "JaxprTrace": "grad",
    "ShardMapTrace": "shard_map",
}
_PARENTS = ("parent_trace", "parent")


_core: Any = None


def _current_trace() -> Any:
    global _core  # noqa: PLW0603 - asked at every miss, where an import statement would cost more than the answer
    if _core is None:
        from jax._src import core

        _core = core
    return _core.trace_ctx.trace


class State(NamedTuple):
    """What goes on at a moment.

    `clean`: nothing is traced or transformed. `staged`: a program is being staged around it. `transforms`: the
    transformations inside the innermost program that is, from the outside in.
    """

    clean: bool
    staged: bool
    transforms: tuple[str, ...] = ()


_CLEAN = State(clean=True, staged=False)
_STAGED = State(clean=False, staged=True)


def examine() -> Missing | None:
    """Whether the state of tracing can be read here."""
    try:
        trace = _current_trace()
    except (ImportError, AttributeError) as fault:
        return Missing(f"the current trace cannot be read: {fault}")
    if type(trace).__name__ != "EvalTrace":
        return Missing(f"the trace outside any transformation is a {type(trace).__name__}")
    return None


def state() -> State:
    """What goes on now."""
    trace = _current_trace()
    name = type(trace).__name__
    if name == "DynamicJaxprTrace":
        return _STAGED
    if name == "EvalTrace":
        return _CLEAN
    found: list[str] = []
    for _ in range(64):  # deeper nesting than anybody writes; a cycle would be a fault of ours
        name = type(trace).__name__
        if name in ("EvalTrace", "DynamicJaxprTrace") or trace is None:
            break
        found.append(_TRANSFORMS.get(name, name))
        trace = next((parent for key in _PARENTS if (parent := getattr(trace, key, None)) is not None), None)
    return State(clean=False, staged=name == "DynamicJaxprTrace", transforms=tuple(reversed(found)))
