"""The arrays that a program closes over, by the names the user has for them."""

from __future__ import annotations

from typing import Any

from whyjit.model.program import Constant


def named(closed: Any, capture: Any, names: tuple[dict[int, str], dict[str, set[str]]]) -> tuple[Constant, ...]:
    """The closed-over arrays, named by the very object, else by its type where only one name and constant has it."""
    named, typed = names
    found: list[Constant] = []
    types = [aval for aval, *_ in capture.constants]
    for value, (aval, nbytes, _, _) in zip(closed.consts, capture.constants, strict=False):
        held = getattr(value, "val", value)
        name = named.get(id(value)) or named.get(id(held), "")
        alike = typed.get(aval, set())
        if not name and len(alike) == 1 and types.count(aval) == 1:
            (name,) = alike
        found.append(Constant(name, aval, nbytes))
    return tuple(found)
