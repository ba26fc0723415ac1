"""The factors of specializations side by side: which vary, which are the same throughout, which move together."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from whyjit.model.avals import leaf_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from whyjit.model.recording import Specialization
    from whyjit.model.signature import Leaf, Node, Static

ABSENT = "-"
Part = TypeVar("Part")


class Factor(NamedTuple):
    """One factor over all the specializations looked at: a value each, and how many others move in step with it."""

    name: str
    role: str
    values: tuple[str, ...]
    alike: int = 0

    @property
    def title(self) -> str:
        """The name, with the number of factors that move in step."""
        return f"{self.name} (+{self.alike})" if self.alike else self.name


class Factors(NamedTuple):
    """Factors that vary, the most telling first, and those that do not."""

    varying: tuple[Factor, ...]
    constant: tuple[Factor, ...]


class _Reader:
    """Reads the factors of many specializations: what they share, as most do their leaves, is put in words once."""

    def __init__(self) -> None:
        self._told: dict[int, dict[tuple[str, str], str]] = {}

    def factors_of(self, specialization: Specialization) -> dict[tuple[str, str], str]:
        """Every factor of one specialization by role and name, as text."""
        signature = specialization.signature
        found: dict[tuple[str, str], str] = {}
        for leaf in signature.leaves:
            found.update(self._once(leaf, _leaf))
        for static in (*signature.form.defaults, *signature.statics):
            found["static", static.path] = static_text(static)
        for node in signature.nodes:
            found.update(self._once(node, _node))
        for role, pairs in (
            ("how it is given", signature.form.parameters),
            ("context", signature.context),
            ("option", signature.options),
        ):
            found.update(self._once(pairs, partial(_pairs, role)))
        if signature.transforms:
            found["context", "transformations"] = " of ".join(signature.transforms)
        for capture in specialization.captures:
            found["captured", capture.name] = _numbered(capture.text, capture.identity)
        if specialization.operation:
            found["object", "operation"] = specialization.operation
        found["object", "function object"] = f"#{specialization.maker}"
        return found

    def _once(self, part: Part, tell: Callable[[Part], dict[tuple[str, str], str]]) -> dict[tuple[str, str], str]:
        """What a part says. The specializations hold it, so that its identity stays its own meanwhile."""
        told = self._told.get(id(part))
        if told is None:
            told = self._told[id(part)] = tell(part)
        return told


def _leaf(leaf: Leaf) -> dict[tuple[str, str], str]:
    found = {("array", leaf.path): leaf_text(leaf)}
    placed = _placement(leaf)
    if placed:
        found["placement", leaf.path] = placed
    return found


def _pairs(role: str, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    return {(role, name): text for name, text in pairs}


def _node(node: Node) -> dict[tuple[str, str], str]:
    found = {("structure", node.path): node.container} if node.path else {}
    for static in node.metadata:
        found["metadata", static.path] = static_text(static)
    return found


def static_text(static: Static) -> str:
    """The value of a static, with the number of an object that is equal only to itself."""
    return _numbered(static.text, static.identity)


def _numbered(text: str, identity: str) -> str:
    return f"{text} #{identity.lstrip('#')}" if identity else text


def _placement(leaf: Leaf) -> str:
    parts = [leaf.sharding, "committed" if leaf.committed else "", leaf.memory, leaf.layout, leaf.mesh]
    return ", ".join(part for part in parts if part)


def compare(specializations: Sequence[Specialization]) -> Factors:
    """Sorts the factors of specializations into those that vary and those that do not."""
    reader = _Reader()
    tables = [reader.factors_of(specialization) for specialization in specializations]
    keys = dict.fromkeys(key for table in tables for key in table)
    varying: dict[tuple[int, ...], Factor] = {}
    constant: list[Factor] = []
    for role, name in keys:
        values = tuple(table.get((role, name), ABSENT) for table in tables)
        pattern = _pattern(values)
        factor = Factor(_titled(role, name), role, _renumbered(values, pattern))
        if max(pattern, default=0) == 0:
            constant.append(factor)
        elif pattern in varying:
            told = min(varying[pattern], factor, key=_telling)
            varying[pattern] = told._replace(alike=varying[pattern].alike + 1)
        else:
            varying[pattern] = factor
    ranked = sorted(varying.values(), key=lambda factor: -len(set(factor.values)))
    return Factors(tuple(ranked), tuple(constant))


_SEVERAL = re.compile(r" #\d+(?:,\d+)+$")
# Of factors that move in step the first of these tells most: a value tells more than how it was given.
_TELLING = ("array", "static", "metadata", "structure", "placement", "captured")


def _telling(factor: Factor) -> int:
    return _TELLING.index(factor.role) if factor.role in _TELLING else len(_TELLING)


def _titled(role: str, name: str) -> str:
    return name if role in {"array", "static", "metadata", "context", "option", "object"} else f"{name} ({role})"


def _renumbered(values: tuple[str, ...], pattern: tuple[int, ...]) -> tuple[str, ...]:
    """Values that hold several objects, told apart by which of the values it is: a list of numbers says nothing."""
    if not any(_SEVERAL.search(value) for value in values):
        return values
    return tuple(_SEVERAL.sub(f" #{number + 1}", value) for value, number in zip(values, pattern, strict=True))


def _pattern(values: Sequence[str]) -> tuple[int, ...]:
    """Which values are equal to which: factors with one pattern move in step."""
    numbers: dict[str, int] = {}
    return tuple(numbers.setdefault(value, len(numbers)) for value in values)
