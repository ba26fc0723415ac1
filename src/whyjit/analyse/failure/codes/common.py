"""Remedies that several codes share."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation
    from whyjit.model.scene import Origin


class Fails(NamedTuple):
    """What must be said about the example of a page: tests run it."""

    error: str
    expression: str
    arguments: tuple[str, ...]


BOTH = "computes both candidates, for all elements, and keeps one"
ONE = "runs one branch; both must return the same structure, shapes and dtypes"


def static(situation: Situation) -> list[Remedy]:
    """Make the arguments configuration, where nothing speaks against it."""
    origin = situation.origin
    if origin is not None and origin.transformation == "filter_jit":
        return _python_value(situation, origin)
    arguments = situation.configurable
    if not arguments or origin is None:
        return static_leaf(situation)
    text = static_text(situation, origin, [argument.path for argument in arguments])
    each = " and ".join(f"`{argument.path}`" for argument in arguments)
    cost = f"one trace and one compile for each distinct value of {each}; only if there are few"
    return [Remedy("static_argnames", text, cost)]


def _python_value(situation: Situation, origin: Origin) -> list[Remedy]:
    """`equinox.filter_jit` makes static what is no array."""
    if situation.nature == "data" or not origin.arguments or not all(one.scalar for one in origin.arguments):
        return []
    paths = ", ".join(argument.path for argument in origin.arguments)
    text = f"pass {paths} as a Python number instead of an array: filter_jit keeps what is no array static"
    return [Remedy("Python value", text, f"one trace and one compile for each distinct value of {paths}")]


def static_text(situation: Situation, origin: Origin, names: list[str]) -> str:
    """How to make parameters static: by the function's own decorator where it has one."""
    quoted = ", ".join(f'"{name}"' for name in names)
    given = quoted if len(names) == 1 else f"({quoted})"
    function = _defined(situation, origin)
    for decorator in function.decorator_list if function is not None else ():
        written = situation.text(decorator)
        place = f"above def {origin.called.rpartition('.')[2]}, in line {decorator.lineno}"
        if ast.unparse(decorator).rpartition(".")[2] == "jit":
            return f"@functools.partial({written}, static_argnames={given}) {place}"
        if isinstance(decorator, ast.Call) and "jit" in written:
            if any(keyword.arg == "static_argnames" for keyword in decorator.keywords):
                return f"add {quoted} to the static_argnames {place}"
            return f"@{written[:-1]}, static_argnames={given}) {place}"
    name = "<this lambda>" if origin.called.endswith("<lambda>") else origin.called
    return f"{situation.names.jax}.jit({name}, static_argnames={given})"


def _defined(situation: Situation, origin: Origin) -> ast.FunctionDef | None:
    """The definition of the outermost function, where it stands in the same file."""
    tree = situation.located.ancestors[0] if situation.located.ancestors else None
    if tree is None or origin.called_file != situation.scene.points[0].file:
        return None
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):
            first = min([part.lineno, *(decorator.lineno for decorator in part.decorator_list)])
            if first == origin.called_line and part.name == origin.called.rpartition(".")[2]:
                return part
    return None


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
    jit = f'{situation.names.jax}.jit({origin.called}, static_argnames="{name}")'
    text = f"take {', '.join(leaves)} out of the argument and pass it by itself: {jit}"
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
