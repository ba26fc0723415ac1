"""What JAX is in the middle of: staging a program, differentiating, mapping."""

from __future__ import annotations

from typing import Any

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


def _current_trace() -> Any:
    from jax._src import core

    return core.trace_ctx.trace


def examine() -> Missing | None:
    """Whether the state of tracing can be read here."""
    try:
        trace = _current_trace()
    except (ImportError, AttributeError) as fault:
        return Missing(f"the current trace cannot be read: {fault}")
    if type(trace).__name__ != "EvalTrace":
        return Missing(f"the trace outside any transformation is a {type(trace).__name__}")
    return None


def is_clean() -> bool:
    """Whether nothing is being traced or transformed."""
    return type(_current_trace()).__name__ == "EvalTrace"


def surroundings() -> tuple[bool, tuple[str, ...]]:
    """Whether a program is being staged around this moment, and the transformations inside the innermost one."""
    trace = _current_trace()
    found: list[str] = []
    for _ in range(64):  # deeper nesting than anybody writes; a cycle would be a fault of ours
        name = type(trace).__name__
        if name == "EvalTrace" or trace is None:
            return False, tuple(reversed(found))
        if name == "DynamicJaxprTrace":
            return True, tuple(reversed(found))
        found.append(_TRANSFORMS.get(name, name))
        trace = next((parent for key in _PARENTS if (parent := getattr(trace, key, None)) is not None), None)
    return False, tuple(reversed(found))
