"""`shape-from-value`: a traced value was to decide the shape of an array."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails, static
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
    if isinstance(node, ast.Subscript):
        return [*_slice(situation, node), *static(situation)]
    if isinstance(node, ast.Call) and sized_by_data(name, situation.family):
        return _sized(situation, node, name)
    found = _in_python(situation)
    if name == "repeat" and isinstance(node, ast.Call):
        text = _with(situation, node, "total_repeat_length=<total>")
        found.append(Remedy("total_repeat_length=", text, "the result always has that length"))
    if name.startswith("segment_") and isinstance(node, ast.Call) and not situation.configurable:
        text = _with(situation, node, "num_segments=<most segments>")
        found.append(Remedy("num_segments=", text, "the result always has that many segments"))
    return [*found, *static(situation), *_masked(situation, node, name)]


def _with(situation: Situation, node: ast.Call, extra: str) -> str:
    text = situation.text(node)
    return f"{text[:-1]}{', ' if node.args or node.keywords else ''}{extra})"


def _sized(situation: Situation, node: ast.Call, name: str) -> list[Remedy]:
    if name in _LONG:
        text = _with(situation, node, "length=<most values>")
        return [
            Remedy(
                "length=",
                text,
                "the result always has that length; larger values are dropped (size of the result fixed)",
            )
        ]
    fill = ", fill_value=..." if name in _FILLED else ""
    found = [
        Remedy(
            "size=",
            _with(situation, node, f"size=<most elements>{fill}"),
            "the result always has `size` elements: choose a bound; fewer are filled up, more are cut off",
        )
    ]
    if name in ("nonzero", "flatnonzero", "argwhere", "where") and node.args:
        mask = situation.text(node.args[0])
        found.append(Remedy("jnp.where", f"{situation.names.jnp}.where({mask}, <value>, <fill>)", _MASKED))
    found.append(
        Remedy("outside", f"call {situation.expression} outside the jitted function", "one transfer from the device")
    )
    return found


def _slice(situation: Situation, node: ast.Subscript) -> list[Remedy]:
    array = situation.text(node.value)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    axis = next((at for at, part in enumerate(parts) if isinstance(part, ast.Slice) and situation.is_traced(part)), 0)
    part = parts[axis]
    jnp, lax = situation.names.jnp, situation.names.lax
    lower = situation.text(part.lower) if isinstance(part, ast.Slice) and part.lower is not None else None
    upper = situation.text(part.upper) if isinstance(part, ast.Slice) and part.upper is not None else None
    index = f"{jnp}.arange({array}.shape[{axis}])"
    tests = [f"{index} >= {lower}"] if lower is not None else []
    tests += [f"{index} < {upper}"] if upper is not None else []
    mask = tests[0] if len(tests) == 1 else f"({') & ('.join(tests)})"
    shape = _mask_shape(situation, node.value, axis)
    mask = f"({mask}){shape}" if shape else mask
    return [
        Remedy("mask", f"{jnp}.where({mask}, {array}, 0)", "keeps the full shape: what lies outside is filled"),
        Remedy(
            "lax.dynamic_slice",
            f"{lax}.dynamic_slice_in_dim({array}, {lower or '0'}, <fixed size>, axis={axis})",
            "the size must be a Python int; only the start may be traced",
        ),
    ]


def _mask_shape(situation: Situation, node: ast.expr, axis: int) -> str:
    """What makes a mask along one axis broadcast to the array: `[:, None]`."""
    seen = situation.see(node)
    dimensions = len(seen.shape) if seen is not None and seen.shape is not None else axis + 1
    behind = dimensions - axis - 1
    return f"[:{', None' * behind}]" if behind > 0 else ""


def _in_python(situation: Situation) -> list[Remedy]:
    """A size that depends on shapes and constants only belongs in Python."""
    origin = situation.origin
    if origin is None or origin.arguments or not origin.exact:
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


def _masked(situation: Situation, node: ast.expr, name: str) -> list[Remedy]:
    sizes = [argument.path for argument in situation.arguments]
    size = sizes[0] if sizes else ""
    if not size:
        return []
    jnp = situation.names.jnp
    if name in ("dynamic_slice", "dynamic_slice_in_dim") and isinstance(node, ast.Call) and node.args:
        array = situation.text(node.args[0])
        index = f"{jnp}.arange({array}.shape[0])"
        test = f"({index} >= {sizes[0]}) & ({index} < {sizes[-1]})" if len(sizes) > 1 else f"{index} < {size}"
        return [Remedy("mask", f"{jnp}.where({test}, {array}, 0)", _MASKED)]
    if name in ("arange", "zeros", "ones", "full", "linspace", "eye", "iota"):
        largest = f"<largest {size}>"
        text = f"{jnp}.arange({largest}) < {size} as a mask over arrays of length {largest}"
        return [Remedy("mask", text, _MASKED)]
    if situation.configurable:
        return []
    text = f"use the largest {size} as the size, a Python int, and mask what lies beyond"
    return [Remedy("fixed size", text, _MASKED)]
