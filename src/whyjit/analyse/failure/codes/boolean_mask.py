"""`boolean-mask`: an array was indexed by a mask whose values are not known yet."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

PAGE = Page(
    code="boolean-mask",
    title="An array is indexed by a traced mask",
    what="`x[mask]` keeps as many elements as the mask has true ones, and the mask is being traced.",
    why="Every array in a JAX program has a shape that is known before it runs. How many elements a mask keeps is not.",
    todo=(
        "Keep all elements and say which count: `jnp.where(mask, x, fill)`, `where=mask` in a reduction, "
        "`jnp.where(mask, new, x)` instead of setting `x.at[mask]`. Where the kept elements themselves are needed, "
        "`jnp.nonzero(mask, size=k)` gives the places of the first k."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

@jax.jit
def mean_of_positive(x):
    return x[x > 0].mean()

mean_of_positive(jnp.array([1.0, -1.0, 3.0]))
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

@jax.jit
def mean_of_positive(x):
    return x.mean(where=x > 0)

mean_of_positive(jnp.array([1.0, -1.0, 3.0]))
""",
        shows=False,
    ),
)
FAILS = Fails("NonConcreteBooleanIndexError", "x[x > 0]", ("x",))

_REDUCTIONS = frozenset({"sum", "mean", "max", "min", "any", "all", "prod", "std", "var"})
_UPDATES = {
    "set": "{value}",
    "add": "{array} + {value}",
    "multiply": "{array} * {value}",
    "min": "{array}",
    "max": "{array}",
}


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    found = _update(situation)
    if found:
        return found
    node = _subscript(situation)
    if node is None:
        return [Remedy("jnp.where", f"{situation.names.jnp}.where(<mask>, <array>, <fill>)", _ALL)]
    array, mask = situation.text(node.value), situation.text(node.slice)
    jnp = situation.names.jnp
    found = _reduction(situation, array, mask)
    found.append(Remedy("jnp.where", f"{jnp}.where({mask}, {array}, 0)", _ALL))
    found.append(
        Remedy(
            "size=",
            f"{array}[{jnp}.nonzero({mask}, size=<most elements>, fill_value=0)[0]]",
            "always as many elements as `size`; the rest is fill",
        )
    )
    return found


_ALL = "keeps the full shape: what does not count is filled"


def _subscript(situation: Situation) -> ast.Subscript | None:
    node = situation.located.node
    return next((part for part in ast.walk(node) if isinstance(part, ast.Subscript)), None)


def _update(situation: Situation) -> list[Remedy]:
    """`x.at[mask].set(value)`."""
    for call in (situation.located.node, *reversed(situation.located.ancestors)):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _UPDATES):
            continue
        item = call.func.value
        if (
            isinstance(item, ast.Subscript)
            and isinstance(item.value, ast.Attribute)
            and item.value.attr == "at"
            and call.args
        ):
            array, mask = situation.text(item.value.value), situation.text(item.slice)
            new = _UPDATES[call.func.attr].format(array=array, value=situation.text(call.args[0]))
            text = f"{situation.names.jnp}.where({mask}, {new}, {array})"
            return [Remedy("jnp.where", text, "none; the mask must have the array's shape or broadcast to it")]
    statement = situation.located.statement
    node = situation.located.node
    if isinstance(statement, ast.Assign) and isinstance(node, ast.Subscript) and node in statement.targets:
        array, mask = situation.text(node.value), situation.text(node.slice)
        text = f"{array} = {situation.names.jnp}.where({mask}, {situation.text(statement.value)}, {array})"
        return [Remedy("jnp.where", text, "makes a new array")]
    return []


def _reduction(situation: Situation, array: str, mask: str) -> list[Remedy]:
    """`x[mask].mean()` and `jnp.mean(x[mask])`, also where the masked array has a name first."""
    where = mask
    jnp = situation.names.jnp
    for parent in reversed(situation.located.ancestors):
        if isinstance(parent, ast.Attribute) and parent.attr in _REDUCTIONS:
            extra = ", initial=..." if parent.attr in ("max", "min") else ""
            return [
                Remedy(
                    "where=",
                    f"{array}.{parent.attr}(where={where}{extra})",
                    "none; the mask must broadcast to the array",
                )
            ]
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr in _REDUCTIONS:
            return [
                Remedy(
                    "where=",
                    f"{jnp}.{parent.func.attr}({array}, where={where})",
                    "none; the mask must broadcast to the array",
                )
            ]
        if isinstance(parent, ast.stmt):
            break
    text = f"reduce with where={where}: {jnp}.sum({array}, where={where}), {jnp}.mean({array}, where={where}), ..."
    return [Remedy("where=", text, "none, for reductions; add axes to the mask until it broadcasts to the array")]
