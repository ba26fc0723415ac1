"""`boolean-mask`: an array was indexed by a mask whose values are not known yet."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.failure.codes.masks import REDUCTIONS, axis_mask, initial, picks_rows, unmasked, update
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

_ALL = "keeps the full shape: what does not count is filled"
_WHERE = "none; the mask must broadcast to the array"


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    found = _update(situation)
    if found:
        return found
    node = _subscript(situation)
    if node is None:
        return [Remedy("jnp.where", f"{situation.names.jnp}.where(<mask>, <array>, <fill>)", _ALL)]
    jnp = situation.names.jnp
    picked = axis_mask(situation, node.slice, node.value)
    if picked is None:
        return [Remedy("jnp.where", f"{jnp}.where(<mask>, {situation.text(node.value)}, <fill>)", _ALL)]
    array, (mask, whole, axis) = situation.text(node.value), picked
    above = situation.located.ancestors[-1] if situation.located.ancestors else None
    counted = isinstance(above, ast.Call) and ast.unparse(above.func) == "len" and node is situation.located.node
    count = [Remedy("jnp.sum", f"{jnp}.sum({mask}) instead of the len", "none; it is an array")] if counted else []
    if axis:
        places = f"{jnp}.nonzero({mask}, size=<most elements>, fill_value=0)[0]"
        return [
            Remedy("jnp.where", f"{jnp}.where({whole}, {array}, 0)", _ALL),
            Remedy("size=", f"{jnp}.take({array}, {places}, axis={axis})", "always as many elements as `size`"),
        ]
    return [
        *count,
        *reduction(situation, node, whole),
        Remedy("jnp.where", f"{jnp}.where({whole}, {array}, 0)", _ALL),
        Remedy(
            "size=",
            f"{array}[{jnp}.nonzero({mask}, size=<most elements>, fill_value=0)[0]]",
            "always as many elements as `size`; the rest is fill",
        ),
    ]


def _subscript(situation: Situation) -> ast.Subscript | None:
    node = situation.located.node
    return next((part for part in ast.walk(node) if isinstance(part, ast.Subscript)), None)


def _update(situation: Situation) -> list[Remedy]:
    """`x.at[mask].set(value)` and `x[mask] = value`."""
    cost = "none; the new value must be one for all, or have the array's shape"
    for call in (situation.located.node, *reversed(situation.located.ancestors)):
        known = update(situation, call)
        if known is not None:
            array, mask, new = known
            picked = axis_mask(situation, mask, array)
            if picked is None:
                return []
            text = f"{situation.names.jnp}.where({picked[1]}, {new}, {situation.text(array)})"
            return [Remedy("jnp.where", text, cost)]
    statement = situation.located.statement
    node = situation.located.node
    if not isinstance(node, ast.Subscript):
        return []
    picked = axis_mask(situation, node.slice, node.value)
    if picked is None:
        return []
    owner, where = situation.text(node.value), picked[1]
    if isinstance(statement, ast.AugAssign) and statement.target is node:
        new = ast.unparse(ast.BinOp(node.value, statement.op, statement.value))
        return [Remedy("jnp.where", f"{owner} = {situation.names.jnp}.where({where}, {new}, {owner})", cost)]
    if isinstance(statement, ast.Assign) and node in statement.targets:
        new = unmasked(situation, statement.value, node.slice) or situation.text(statement.value)
        text = f"{owner} = {situation.names.jnp}.where({where}, {new}, {owner})"
        return [Remedy("jnp.where", text, "makes a new array")]
    return []


def reduction(situation: Situation, node: ast.Subscript, mask: str) -> list[Remedy]:
    """`x[mask].mean()` and `jnp.mean((x[mask] - y[mask]) ** 2)`, also where the masked array has a name first."""
    for call in reversed(situation.located.ancestors):
        if isinstance(call, ast.stmt):
            break
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in REDUCTIONS):
            continue
        function = call.func
        method = any(part is node for part in ast.walk(function.value))
        reduced = function.value if method else call.args[0] if call.args else None
        bare = None if reduced is None else unmasked(situation, reduced, node.slice)
        if bare is None or reduced is None:
            break
        rest = call.args if method else call.args[1:]
        given = [situation.text(one) for one in (*rest, *call.keywords)] if picks_rows(situation, node) else []
        given.append(f"where={mask}{initial(situation, node.value, function.attr)}")
        group = bare if isinstance(reduced, ast.Subscript) else f"({bare})"
        begin = f"{group}.{function.attr}(" if method else f"{situation.text(function)}({bare}, "
        return [Remedy("where=", f"{begin}{', '.join(given)})", _WHERE)]
    array, jnp = situation.text(node.value), situation.names.jnp
    text = f"reduce with where={mask}: {jnp}.sum({array}, where={mask}), {jnp}.mean({array}, where={mask}), ..."
    return [Remedy("where=", text, _WHERE)]
