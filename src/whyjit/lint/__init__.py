"""Hazards that the source alone shows, without running it: few rules, each sure of what it says.

A rule is one file: `CODE`, whose page `whyjit explain` prints; `HAZARDS` and `FINE`, programs that the tests hold it
to; and `find(module)`, which gives the places. A program that is right must never be flagged: what depends on more than
the source is left to `whyjit run`.
"""

from __future__ import annotations

from whyjit.lint import branch_on_value, new_function_each_call, runs_once, unhashable_static
from whyjit.lint.reading import Module, Place, read

RULES = (branch_on_value, new_function_each_call, runs_once, unhashable_static)


def check(text: str) -> list[Place]:
    """The hazards of a file's source, in their order. Raises `SyntaxError` where it is no Python."""
    module = read(text)
    if module is None:
        return []
    return sorted(place for rule in RULES for place in rule.find(module))


__all__ = ["RULES", "Module", "Place", "check"]
