"""Values of staged programs as nodes of one graph, in which equal computations are one node.

Two programs put into one `Graph` compute the same exactly if their outputs are the same nodes: names, the order of
independent equations, dead equations and repeated ones make no difference. Every node also has a *shape number*, which
forgets the values of constants: programs with equal shape numbers are the same but for constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Constant:
    """A value known now: `value` is an array, `bits` tells it apart from any other (type, sizes, bytes)."""

    value: Any
    bits: tuple[Any, ...]


class Graph:
    """The nodes of all programs that are to be compared. A node is an integer; equal content gives an equal node."""

    def __init__(self) -> None:
        self._nodes: dict[Any, int] = {}
        self._shapes: dict[Any, int] = {}
        self._shape_of: list[int] = []
        self.content: list[tuple[Any, tuple[int, ...]]] = []

    def node(self, label: Any, inputs: tuple[int, ...] = (), shape_label: Any = None) -> int:
        """The node with this label and inputs. `shape_label` stands for the label where constants are forgotten."""
        key = (label, inputs)
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = len(self.content)
            self.content.append(key)
            forgetful = (label if shape_label is None else shape_label, tuple(self._shape_of[at] for at in inputs))
            self._shape_of.append(self._shapes.setdefault(forgetful, len(self._shapes)))
        return found

    def constant(self, constant: Constant) -> int:
        """The node of a constant."""
        return self.node(("constant", constant.bits), (), ("constant", constant.bits[:2]))

    def shape(self, node: int) -> int:
        """The shape number of a node."""
        return self._shape_of[node]

    def below(self, roots: tuple[int, ...]) -> list[int]:
        """The nodes that these depend on, themselves among them, each once."""
        seen: dict[int, None] = {}
        waiting = list(reversed(roots))
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen[node] = None
                waiting.extend(reversed(self.content[node][1]))
        return list(seen)

    def primitives(self, roots: tuple[int, ...]) -> set[str]:
        """The primitives that these nodes need."""
        labels = (self.content[node][0] for node in self.below(roots))
        return {label[1] for label in labels if label[0] == "equation"}

    def first_constants(self, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray] | None:
        """The first place where two programs of equal shape have different constants: both constants, as arrays."""
        seen: set[tuple[int, int]] = set()
        waiting = list(reversed(list(zip(left, right, strict=True))))
        while waiting:
            pair = waiting.pop()
            if pair in seen or pair[0] == pair[1]:
                continue
            seen.add(pair)
            (label, inputs), (other, others) = self.content[pair[0]], self.content[pair[1]]
            if label[0] == other[0] == "constant":
                return _array(label[1]), _array(other[1])
            waiting.extend(reversed(list(zip(inputs, others, strict=False))))
        return None


def bits_of(value: Any) -> tuple[Any, ...]:
    """What tells an array apart: its dtype, its sizes, and its bytes. Random keys are told apart by their data."""
    if is_extended(getattr(value, "dtype", None)):
        import jax

        data = np.asarray(jax.random.key_data(value))
        return (str(value.dtype), tuple(value.shape), data.tobytes())
    array = np.asarray(value)
    return (str(array.dtype), array.shape, array.tobytes())


def is_extended(dtype: Any) -> bool:
    """Whether a dtype is one of JAX's own, such as that of random keys."""
    import jax

    return dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.extended)


def _array(bits: tuple[Any, ...]) -> np.ndarray:
    dtype, shape, data = bits
    try:
        return np.frombuffer(data, _dtype(dtype)).reshape(shape)
    except (TypeError, ValueError):
        return np.frombuffer(data, np.uint8)


def _dtype(name: str) -> Any:
    import jax.numpy as jnp

    return jnp.dtype(name)
