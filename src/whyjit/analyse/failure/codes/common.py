"""Remedies that several codes share."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation


class Fails(NamedTuple):
    """What must be said about the example of a page: tests run it."""

    error: str
    expression: str
    arguments: tuple[str, ...]


BOTH = "computes both candidates, for all elements, and keeps one"
ONE = "runs one branch; both must return the same structure, shapes and dtypes"


def static(situation: Situation) -> list[Remedy]:
    """Make the arguments configuration, where nothing speaks against it."""
    arguments = situation.configurable
    if not arguments or situation.origin is None:
        return static_leaf(situation)
    text = static_text(situation, [argument.path for argument in arguments])
    each = " and ".join(f"`{argument.path}`" for argument in arguments)
    cost = f"one trace and one compile for each distinct value of {each}; only if there are few"
    return [Remedy("static_argnames", text, cost)]


def static_text(situation: Situation, names: list[str]) -> str:
    """How to make parameters static: by the function's own decorator where it has one."""
    quoted = ", ".join(f'"{name}"' for name in names)
    given = quoted if len(names) == 1 else f"({quoted})"
    jit = f"{situation.names.jax}.jit"
    function = situation.origin.called if situation.origin is not None else ""
    tree = situation.located.ancestors[0] if situation.located.ancestors else None
    for part in ast.walk(tree) if tree is not None else ():
        if not isinstance(part, ast.FunctionDef) or part.name != function.rpartition(".")[2]:
            continue
        for decorator in part.decorator_list:
            if ast.unparse(decorator).rpartition(".")[2] == "jit":
                written = situation.text(decorator)
                return f"@functools.partial({written}, static_argnames={given}) above def {part.name}, in line {decorator.lineno}"
            if not isinstance(decorator, ast.Call) or "jit" not in ast.unparse(decorator):
                continue
            if any(keyword.arg == "static_argnames" for keyword in decorator.keywords):
                return f"add {quoted} to static_argnames of {part.name}, in line {decorator.lineno}"
            written = situation.text(decorator)
            return f"@{written[:-1]}, static_argnames={given}) above def {part.name}, in line {decorator.lineno}"
    return f"{jit}({function}, static_argnames={given})"


def static_leaf(situation: Situation) -> list[Remedy]:
    """The same, for scalars that are a leaf of a larger argument and must be taken out of it first."""
    origin = situation.origin
    if origin is None or origin.transformation != "jit" or situation.nature == "data" or not origin.arguments:
        return []
    if not all(argument.scalar for argument in origin.arguments):
        return []
    leaves = [argument.path for argument in origin.arguments]
    name = (
        "".join(c if c.isalnum() else "_" for c in leaves[0].rpartition("[")[2].rpartition(".")[2]).strip("_")
        or "value"
    )
    text = f'take {", ".join(leaves)} out of the argument and pass it by itself: {situation.names.jax}.jit({origin.called}, static_argnames="{name}")'
    return [Remedy("static_argnames", text, f"one trace and one compile for each distinct value of {leaves[0]}")]


def outside(situation: Situation, what: str) -> Remedy:
    """Do it where the value is known."""
    called = (
        situation.origin.called if situation.origin is not None and situation.origin.called else "the jitted function"
    )
    return Remedy(
        "outside",
        f"return {situation.expression} from `{called}` and {what} on its result",
        "one transfer from the device",
    )


def callback(situation: Situation, action: str) -> Remedy:
    """Do it in Python, when the program runs."""
    return Remedy(
        "jax.debug.callback",
        f"{situation.names.jax}.debug.callback({action})",
        "a host call each time the program runs, and the jitted function leaves JAX's fast path",
    )
