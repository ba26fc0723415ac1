"""The names of a flax nnx module's arrays.

`nnx.jit` passes JAX a module as `NodeStates`: a list of arrays, and a graph definition that says how they make up the
module. Evidence, on flax 0.11.2 to 0.12.12: `nodes` are in depth-first order, and `attributes` are pairs of a key and
what lies there, `num_attributes` of them for each `NodeDef`; the arrays come in the order in which they are met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_ARRAYS = frozenset({"ArrayAttr", "MutableArrayAttr"})
_VARIABLES = frozenset({"VariableDef", "ArrayRefDef"})


def is_states(value: Any) -> bool:
    """Whether a value is a module as `nnx.jit` takes it apart."""
    kind = type(value)
    return kind.__name__ == "NodeStates" and kind.__module__.startswith("flax.nnx")


def arrays_of(value: Any) -> list[tuple[str, Any]] | None:
    """The arrays of a module with their paths in it, `.layers[0].kernel`; None where it is made up otherwise."""
    states = getattr(value, "states", None)
    graph = getattr(value, "_graphdef", None)
    if not isinstance(states, tuple) or len(states) != 1 or not isinstance(states[0], list) or graph is None:
        return None
    try:
        names = list(_walk(iter(graph.nodes), iter(graph.attributes), ""))
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return None
    return list(zip(names, states[0], strict=True)) if len(names) == len(states[0]) else None


def _walk(nodes: Iterator[Any], attributes: Iterator[Any], path: str) -> Iterator[str]:
    node: Any = next(nodes, None)
    kind = type(node).__name__
    if kind in _VARIABLES:
        yield path
    elif kind == "NodeDef":
        for _ in range(node.num_attributes):
            key, what = next(attributes)
            inner = path + (f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]")
            found = type(what).__name__
            if found == "NodeAttr":
                yield from _walk(nodes, attributes, inner)
            elif found in _ARRAYS:
                yield inner
    elif kind != "NodeRef":  # one that is met again has no arrays of its own
        raise ValueError(kind)
