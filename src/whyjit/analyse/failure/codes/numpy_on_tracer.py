"""`numpy-on-tracer`: NumPy was given a value that is being traced."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails, static
from whyjit.analyse.failure.recognise import SHAPED
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

PAGE = Page(
    code="numpy-on-tracer",
    title="NumPy asked a traced value for its elements",
    what="A function of NumPy (or SciPy) was called with a traced value, or a NumPy array was indexed by one.",
    why=(
        "NumPy works on numbers in memory. While a function is traced its arguments have a shape and a dtype, and no "
        "numbers; JAX cannot record what NumPy would do with them."
    ),
    todo=(
        "Call the function of the same name in `jax.numpy`, or index `jnp.asarray(array)` instead of the NumPy array. "
        "Where the traced value is in truth a constant (an index made by `jnp.arange`), make it with NumPy instead. "
        "For what JAX has no function, `jax.pure_callback` calls NumPy when the program runs."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp
import numpy as np

@jax.jit
def spread(samples):
    return np.median(samples)

spread(jnp.ones(4))
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

@jax.jit
def spread(samples):
    return jnp.median(samples)

spread(jnp.ones(4))
""",
        shows=False,
    ),
)
FAILS = Fails("TracerArrayConversionError", "np.median(samples)", ("samples",))

_DTYPES = frozenset({
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool_",
    "complex64", "complex128",
})  # fmt: skip
_CONVERSIONS = frozenset({"asarray", "array", "ascontiguousarray", "asanyarray", "copy"})


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    node = situation.located.node
    found: list[Remedy] = []
    if isinstance(node, ast.Subscript):
        found += _index(situation, node)
    elif isinstance(node, ast.Call):
        found += _call(situation, node)
    if not found:
        text = f"{situation.names.jnp}.asarray(<the NumPy array>)"
        found.append(Remedy("jnp.asarray", text, "the array becomes a constant of the program"))
    fixed = [] if any(one.name == "static_argnames" for one in found) else static(situation)
    return [*found, *_constant(situation), *fixed, *_host(situation, node)]


def _index(situation: Situation, node: ast.Subscript) -> list[Remedy]:
    owner, index = situation.text(node.value), situation.text(node.slice)
    jnp = situation.names.jnp
    if isinstance(node.ctx, ast.Store):
        value = "<value>"
        statement = situation.located.statement
        if isinstance(statement, ast.Assign):
            value = situation.text(statement.value)
        return [Remedy(".at[].set", f"{owner} = {jnp}.asarray({owner}).at[{index}].set({value})", "makes a new array")]
    return [Remedy("jnp.asarray", f"{jnp}.asarray({owner})[{index}]", f"`{owner}` becomes a constant of the program")]


def _call(situation: Situation, node: ast.Call) -> list[Remedy]:
    jnp = situation.names.jnp
    callee = situation.use.callee
    name = callee.rpartition(".")[2]
    args = ", ".join(situation.text(one) for one in (*node.args, *node.keywords))
    if name in _DTYPES and node.args:
        given = situation.text(node.args[0])
        return [Remedy("astype", f"{_grouped(node.args[0], given)}.astype({jnp}.{name.rstrip('_')})", "none")]
    if name in _CONVERSIONS:
        return [
            Remedy("jnp.asarray", f"{jnp}.asarray({args})", "none; it is an array already, so this can be left out")
        ]
    if callee.startswith((f"{situation.names.np}.", "numpy.")):
        below = callee.partition(".")[2]
        if below in SHAPED and situation.configurable:
            return static(situation)
        new = f"{jnp}.{below}"
        if below.startswith("random."):
            text = f"{situation.names.jax}.random.{name}(key, ...)"
            return [Remedy("jax.random", text, "needs a key; NumPy's would draw once, while tracing")]
        return [Remedy(f"jnp.{below}", f"{new}({args})", "none")]
    if "scipy" in callee or callee.split(".")[0] in ("sp", "special"):
        return [
            Remedy("jax.scipy", f"{situation.names.jax}.scipy.special.{name}({args}), where JAX has {name}", "none"),
        ]
    return []


def _grouped(node: ast.expr, text: str) -> str:
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"({text})"


def _constant(situation: Situation) -> list[Remedy]:
    """A value made from constants only can be made by NumPy, before the program exists."""
    origin = situation.origin
    if origin is None or origin.arguments or not origin.exact or not origin.chain:
        return []
    jnp, np = f"{situation.names.jnp}.", f"{situation.names.np}."
    made = next((step for step in origin.chain if jnp in step.source), None)
    if made is None:
        return []
    return [
        Remedy(
            "NumPy", made.source.replace(jnp, np), f"none: line {made.line} then gives a constant, not a traced value"
        )
    ]


def _host(situation: Situation, node: ast.expr) -> list[Remedy]:
    if not isinstance(node, ast.Call):
        return []
    callee = situation.use.callee
    if callee.rpartition(".")[2] in _DTYPES | _CONVERSIONS:
        return []
    args = ", ".join(situation.text(one) for one in node.args)
    text = f"{situation.names.jax}.pure_callback({callee}, <shape and dtype of the result>, {args})"
    return [Remedy("jax.pure_callback", text, "a host call each time the program runs; no gradient")]
