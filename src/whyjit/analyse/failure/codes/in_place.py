"""`in-place`: an element of a traced array was to be changed where it stands."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.failure.codes.masks import is_mask, spread
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

PAGE = Page(
    code="in-place",
    title="An element of a JAX array was assigned to",
    what="`x[i] = value` or `x[i] += value`, where `x` is a traced array.",
    why=(
        "JAX's arrays do not change: a program is made of values computed from values. NumPy code that fills an array "
        "step by step has to say each time which array the new one is."
    ),
    todo=(
        "Write `x = x.at[i].set(value)`, `.add`, `.multiply`, `.min` or `.max`. It reads like a copy and is none in a "
        "jitted function, where XLA updates the memory in place. An index outside the array is left out; NumPy raises "
        "an error. A loop that fills an array element by element is often one operation on the whole array."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

@jax.jit
def first_to_zero(x):
    x[0] = 0.0
    return x

first_to_zero(jnp.ones(3))
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

@jax.jit
def first_to_zero(x):
    x = x.at[0].set(0.0)
    return x

first_to_zero(jnp.ones(3))
""",
        shows=False,
    ),
)
FAILS = Fails("TypeError", "x[0]", ("x",))

_COST = "none inside jit; an index outside the array is left out and raises nothing"
_METHODS: dict[type[ast.operator], str] = {
    ast.Add: "add({value})",
    ast.Sub: "add(-{value})",
    ast.Mult: "multiply({value})",
    ast.Div: "divide({value})",
    ast.Pow: "power({value})",
}


def remedies(situation: Situation) -> list[Remedy]:
    """The same update as an expression."""
    node, statement = situation.located.node, situation.located.statement
    if not isinstance(node, ast.Subscript):
        return []
    array, index = situation.text(node.value), situation.text(node.slice)
    picked = _picked(situation, statement, node, array)
    if picked is not None:
        return [picked]
    if isinstance(statement, ast.Assign) and statement.targets == [node]:
        update = f"set({situation.text(statement.value)})"
    elif isinstance(statement, ast.AugAssign) and statement.target is node:
        update = _augmented(situation, statement, node)
    else:
        update = "set(<value>)"
    return [Remedy(".at[]", f"{array} = {array}.at[{index}].{update}", _COST)]


def _picked(situation: Situation, statement: ast.stmt | None, node: ast.Subscript, array: str) -> Remedy | None:
    """Elements that a mask picks: `.at[mask]` takes one value for all of them only, and no traced mask at all."""
    if not is_mask(situation, node.slice):
        return None
    if isinstance(statement, ast.Assign) and statement.targets == [node]:
        new = situation.text(statement.value)
    elif isinstance(statement, ast.AugAssign) and statement.target is node:
        whole = ast.copy_location(ast.BinOp(node.value, statement.op, statement.value), node)
        new = ast.unparse(whole)
    else:
        return None
    text = f"{array} = {situation.names.jnp}.where({spread(situation, node.slice, node.value)}, {new}, {array})"
    return Remedy("jnp.where", text, "none inside jit; the new value must be one for all, or have the array's shape")


def _augmented(situation: Situation, statement: ast.AugAssign, node: ast.Subscript) -> str:
    value = situation.text(statement.value)
    method = _METHODS.get(type(statement.op))
    if method is None:
        operation = ast.unparse(ast.BinOp(ast.Name("_"), statement.op, ast.Name("_"))).strip("_").strip()
        return f"set({situation.text(node)} {operation} ({value}))"
    simple = isinstance(statement.value, (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript))
    return method.format(value=value if simple or "-" not in method else f"({value})")
