"""The names of a flax nnx module's arrays.

`nnx.jit` passes JAX a module as `NodeStates`: a list of arrays, and a graph definition that says how they make up the
module. Evidence, on flax 0.11.2 to 0.12.12: `nodes` are in depth-first order, and `attributes` are pairs of a key and
what lies there, `num_attributes` of them for each `NodeDef`; the arrays come in the order in which they are met.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_ARRAYS = frozenset({"ArrayAttr", "MutableArrayAttr"})
_VARIABLES = frozenset({"VariableDef", "ArrayRefDef"})


_OWN = "_pytree__"  # flax's own notes, such as which attributes hold arrays


class Rest(NamedTuple):
    """What of a graph definition has no name that the user gave: it is compared, and not shown."""

    parts: tuple[Any, ...]


class GraphDef:
    """A graph definition as the module that it is of: its static attributes under their paths, and the rest.

    Two are equal where flax's own are: it is not compared by identity.
    """

    def __init__(self, statics: dict[str, Any], rest: Rest) -> None:
        vars(self).update(statics)
        vars(self)["..."] = rest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphDef) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def is_states(value: Any) -> bool:
    """Whether a value is a module as `nnx.jit` takes it apart."""
    kind = type(value)
    return kind.__name__ == "NodeStates" and kind.__module__.startswith("flax.nnx")


def arrays_of(value: Any) -> list[tuple[str, Any]] | None:
    """The arrays of a module with their paths in it, `.layers[0].kernel`; None where it is made up otherwise."""
    apart = taken_apart(value)
    return None if apart is None else apart[0]


def taken_apart(value: Any) -> tuple[list[tuple[str, Any]], Any] | None:
    """The arrays of a module with their paths in it, and what is static about it, or None as above."""
    states = getattr(value, "states", None)
    graph = getattr(value, "_graphdef", None)
    if not isinstance(states, tuple) or len(states) != 1 or not isinstance(states[0], list) or graph is None:
        return None
    walk = _Walk(graph)
    try:
        names = list(walk.arrays(""))
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return None
    if len(names) != len(states[0]):
        return None
    return list(zip(names, states[0], strict=True)), GraphDef(walk.statics, Rest(tuple(walk.rest)))


class _Walk:
    def __init__(self, graph: Any) -> None:
        self._nodes: Iterator[Any] = iter(graph.nodes)
        self._attributes: Iterator[Any] = iter(graph.attributes)
        self.statics: dict[str, Any] = {}
        self.rest: list[Any] = [*graph.nodes]

    def arrays(self, path: str) -> Iterator[str]:
        node: Any = next(self._nodes, None)
        kind = type(node).__name__
        if kind in _VARIABLES:
            yield path
        elif kind == "NodeDef":
            for key, what in itertools.islice(self._attributes, node.num_attributes):
                inner = path + (f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]")
                found = type(what).__name__
                if found == "NodeAttr":
                    yield from self.arrays(inner)
                elif found in _ARRAYS:
                    yield inner
                self._note(key, inner, what, found)
        elif kind != "NodeRef":  # one that is met again has no arrays of its own
            raise ValueError(kind)

    def _note(self, key: Any, path: str, what: Any, found: str) -> None:
        if found == "Static" and hasattr(what, "value") and not str(key).startswith(_OWN):
            self.statics[path.lstrip(".")] = what.value
            self.rest.append((key, found))
        else:
            self.rest.append((key, what))
