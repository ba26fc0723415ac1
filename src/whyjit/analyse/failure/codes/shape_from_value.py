"""`shape-from-value`: a traced value was to decide the shape of an array."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.boolean_mask import reduction
from whyjit.analyse.failure.codes.common import Fails, static
from whyjit.analyse.failure.codes.masks import spread, update
from whyjit.analyse.failure.codes.slices import slice_remedies, update_remedies
from whyjit.analyse.failure.recognise import DATA_SIZED, last_name
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

PAGE = Page(
    code="shape-from-value",
    title="The shape of an array depends on a traced value",
    what=(
        "A size was traced (`jnp.zeros(n)`, `x.reshape(n, -1)`, `x[:n]`), or a function returns as many elements as "
        "its input's values say (`jnp.nonzero`, `jnp.unique`)."
    ),
    why="Every array in a JAX program has a shape that is known before it runs; a traced value is not known then.",
    todo=(
        "If the size is configuration, make it static: each distinct size costs a trace and a compile. If it is data, "
        "work at a fixed largest size and mask what does not count. Compute with shapes in Python or NumPy, not in "
        "`jax.numpy`: `x.shape[0] // 2` is an int, `jnp.floor_divide(x.shape[0], 2)` is traced. Functions sized by "
        "data take `size=` (and `fill_value=`)."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

@jax.jit
def ramp(count, scale):
    return jnp.arange(count) * scale

ramp(4, 0.5)
"""),
    after=Example(
        """
import functools

import jax
import jax.numpy as jnp

@functools.partial(jax.jit, static_argnames="count")
def ramp(count, scale):
    return jnp.arange(count) * scale

ramp(4, 0.5)
""",
        shows=False,
    ),
)
FAILS = Fails("ConcretizationTypeError", "jnp.arange(count)", ("count",))

_FILLED = frozenset(
    {"nonzero", "flatnonzero", "argwhere", "where", "unique", "unique_values", "intersect1d", "setdiff1d", "union1d"}
)
_LONG = frozenset({"bincount"})
_MASKED = "all elements are computed, at the largest size; what lies beyond is masked"


def sized_by_data(situation_name: str, family: str) -> bool:
    """Whether a function's result is as long as the values of its input say."""
    return situation_name in DATA_SIZED and family in ("concrete", "mask")


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    node = situation.located.node
    name = last_name(situation.use)
    known = update(situation, node)
    if situation.family == "slice" and known is not None:
        return [*_in_python(situation), *update_remedies(situation, *known), *static(situation)]
    if isinstance(node, ast.Subscript):
        return [*_in_python(situation), *slice_remedies(situation, node), *static(situation)]
    if isinstance(node, ast.Call) and sized_by_data(name, situation.family):
        return _sized(situation, node, name)
    found = _in_python(situation)
    if name == "repeat" and isinstance(node, ast.Call):
        text = _with(situation, node, "total_repeat_length", "<total>")
        found.append(Remedy("total_repeat_length=", text, "the result always has that length"))
        return [*found, *static(situation)]
    if name.startswith("segment_") and isinstance(node, ast.Call) and not situation.configurable:
        text = _with(situation, node, "num_segments", "<most segments>", place=2)
        found.append(Remedy("num_segments=", text, "the result always has that many segments"))
        return [*found, *static(situation)]
    return [*found, *static(situation), *_masked(situation, node, name)]


def _with(situation: Situation, node: ast.Call, name: str, value: str, more: str = "", place: int = 99) -> str:
    """The call with one argument set, in place of the one that was given for it by keyword or at its place."""
    parts = [situation.text(one) for at, one in enumerate(node.args) if at != place]
    parts += [situation.text(one) for one in node.keywords if one.arg != name]
    return f"{situation.text(node.func)}({', '.join([*parts, f'{name}={value}'])}{more})"


def _sized(situation: Situation, node: ast.Call, name: str) -> list[Remedy]:
    if name in _LONG:
        text = _with(situation, node, "length", "<most values>")
        return [
            Remedy(
                "length=",
                text,
                "the result always has that length; larger values are dropped (size of the result fixed)",
            )
        ]
    given = any(one.arg == "fill_value" for one in node.keywords)
    fill = ", fill_value=<fill>" if name in _FILLED and not given else ""
    found = [
        Remedy(
            "size=",
            _with(situation, node, "size", "<most elements>", fill),
            "the result always has `size` elements: choose a bound; fewer are filled up, more are cut off",
        )
    ]
    if name in ("nonzero", "flatnonzero", "argwhere", "where") and node.args:
        mask = situation.text(node.args[0])
        found = [*_reduced(situation, node), *found]
        found.append(Remedy("jnp.where", f"{situation.names.jnp}.where({mask}, <value>, <fill>)", _MASKED))
    found.append(
        Remedy("outside", f"call {situation.expression} outside the jitted function", "one transfer from the device")
    )
    return found


def _in_python(situation: Situation) -> list[Remedy]:
    """A size that depends on shapes and constants only belongs in Python."""
    origin = situation.origin
    if origin is None or origin.arguments or origin.carried or not origin.exact:
        return []
    jnp, np = f"{situation.names.jnp}.", f"{situation.names.np}."
    made = next((step for step in origin.chain if jnp in step.source), None)
    where = f"in line {made.line}, {made.source.replace(jnp, np)}" if made is not None else "where the size is computed"
    return [
        Remedy("NumPy", where, "none: it depends on shapes and constants only, so Python knows it while tracing"),
        Remedy(
            "Python", "plain operators on Python ints (//, +, math.ceil) for everything that becomes a shape", "none"
        ),
    ]


def _reduced(situation: Situation, node: ast.Call) -> list[Remedy]:
    """`jnp.mean(x[jnp.where(test)])`: a reduction over what is picked."""
    for parent in reversed(situation.located.ancestors):
        if isinstance(parent, ast.stmt):
            break
        inner = parent.slice if isinstance(parent, ast.Subscript) else None
        first = inner.value if isinstance(inner, ast.Subscript) else inner  # jnp.nonzero(test)[0]
        if isinstance(parent, ast.Subscript) and first is node and len(node.args) == 1:
            found = reduction(situation, parent, spread(situation, node.args[0], parent.value))
            return [one for one in found if not one.text.startswith("reduce")]
    return []


def _sizes(situation: Situation, node: ast.Call) -> list[str]:
    """The parts of a call that are traced whole numbers: what decides the shape, in the user's own words."""
    given = [*node.args, *(one.value for one in node.keywords)]
    parts = [part for one in given for part in (one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one])]
    found: list[str] = []
    for part in parts:
        traced = [seen for _, seen in situation.scene.traced_parts(0, part)]
        if traced and all(seen.scalar and seen.dtype.lstrip("u").startswith("int") for seen in traced):
            found.append(situation.text(part))
    return found


def _masked(situation: Situation, node: ast.expr, name: str) -> list[Remedy]:
    sizes = _sizes(situation, node) if isinstance(node, ast.Call) else []
    size = sizes[-1] if sizes else ""
    if not size or not situation.arguments:
        return []
    jnp = situation.names.jnp
    if name in ("dynamic_slice", "dynamic_slice_in_dim") and isinstance(node, ast.Call) and len(node.args) > 2:
        array, start = situation.text(node.args[0]), node.args[1]
        first = start.elts[0] if isinstance(start, (ast.Tuple, ast.List)) and start.elts else start
        index, begin = f"{jnp}.arange({array}.shape[0])", situation.text(first)
        test = f"({index} >= {begin}) & ({index} < {begin} + {size})"
        return [Remedy("mask", f"{jnp}.where({test}, {array}, 0)", _MASKED)]
    if name in ("arange", "zeros", "ones", "full", "linspace", "eye", "iota"):
        largest = f"<largest {size}>"
        text = f"{jnp}.arange({largest}) < {size} as a mask over arrays of length {largest}"
        return [Remedy("mask", text, _MASKED)]
    if situation.configurable:
        return []
    text = f"use the largest {size} as the size, a Python int, and mask what lies beyond"
    return [Remedy("fixed size", text, _MASKED)]
