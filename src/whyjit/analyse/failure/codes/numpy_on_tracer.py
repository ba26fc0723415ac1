"""`numpy-on-tracer`: NumPy was given a value that is being traced."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.candidates import in_condition
from whyjit.analyse.failure.codes.common import Fails, callback, static
from whyjit.analyse.failure.recognise import SHAPED
from whyjit.analyse.failure.rewrite import full_name, grouped
from whyjit.analyse.failure.scipy_names import jax_scipy
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
# Functions and modules of NumPy that `jax.numpy` has not.
_ABSENT = frozenset({
    "array2string", "asarray_chkfinite", "base_repr", "binary_repr", "busday_count", "busday_offset",
    "copyto", "format_float_positional", "format_float_scientific", "is_busday", "isnat", "may_share_memory", "nditer",
    "ndenumerate", "putmask", "real_if_close", "require", "savetxt", "savez_compressed", "shares_memory",
})  # fmt: skip
_FOREIGN = ("char.", "ctypeslib.", "emath.", "lib.", "ma.", "polynomial.", "rec.", "strings.", "testing.")
_RENAMED = {"fix": "trunc", "row_stack": "vstack"}
_MINIMIZE = "jax.scipy.optimize.minimize"
_CONVERSIONS = frozenset({"asarray", "array", "ascontiguousarray", "asanyarray", "copy"})


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    node = situation.located.node
    found: list[Remedy] = []
    if isinstance(node, ast.Subscript):
        found += _index(situation, node)
    elif isinstance(node, ast.Call):
        found += _call(situation, node)
        if found and found[0].name.startswith("jnp."):
            found = [*_decided(situation, node, found[0]), *found[1:]]
    if not found and not isinstance(node, ast.Call):
        text = f"{situation.names.jnp}.asarray(<the NumPy array>)"
        found.append(Remedy("jnp.asarray", text, "the array becomes a constant of the program"))
    fixed = [] if any(one.name == "static_argnames" for one in found) else static(situation)
    return [*found, *_constant(situation), *fixed, *_host(situation, node)]


def _decided(situation: Situation, node: ast.Call, plain: Remedy) -> list[Remedy]:
    """The call as one of `jax.numpy`; within a condition, with what the condition becomes."""
    whole = in_condition(situation, node, plain.text)
    if not whole:
        return [plain]
    return [Remedy(plain.name, whole[0].text, whole[0].cost), *whole[1:]]


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
        return [Remedy("astype", f"{grouped(node.args[0], given)}.astype({jnp}.{name.rstrip('_')})", "none")]
    if name in _CONVERSIONS:
        return [
            Remedy("jnp.asarray", f"{jnp}.asarray({args})", "none; it is an array already, so this can be left out")
        ]
    if callee.startswith((f"{situation.names.np}.", "numpy.")):
        below = callee.partition(".")[2]
        sized = all(one.type.lstrip("u").startswith("int") for one in situation.configurable)
        if below in SHAPED and situation.configurable and sized:
            return static(situation)
        if below in _ABSENT or below.startswith(_FOREIGN):
            used = not isinstance(situation.located.statement, ast.Expr)
            return [] if used else [callback(situation, f"{callee}, {args}")]
        below = _RENAMED.get(below, below)
        new = f"{jnp}.{below}"
        if below.startswith("random."):
            text = f"{situation.names.jax}.random.{name}(<key>, <shape>)"
            return [Remedy("jax.random", text, "needs a key; NumPy's would draw once, while tracing")]
        return [Remedy(f"jnp.{below}", f"{new}({args})", "none")]
    known = jax_scipy(full_name(situation.located.ancestors[0], callee) if situation.located.ancestors else callee)
    if known is None:
        return []
    text = f"{situation.names.jax}{known.removeprefix('jax')}({args})"
    return [
        Remedy(known, text, "none" if known != _MINIMIZE else "gradients of the function must exist; method BFGS only")
    ]


def _constant(situation: Situation) -> list[Remedy]:
    """A value made from constants only can be made by NumPy, before the program exists."""
    origin = situation.origin
    if origin is None or origin.arguments or origin.carried or not origin.exact or not origin.chain:
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
    parts = [part for part, _ in situation.scene.traced_parts(0, node)]
    names = list(dict.fromkeys(part.id for part in parts if isinstance(part, ast.Name)))
    args = ", ".join(situation.text(one) for one in node.args)
    function = callee
    if parts and len(names) == len({ast.dump(part) for part in parts}):  # what is traced comes in by its name
        function, args = f"lambda {', '.join(names)}: {situation.expression}", ", ".join(names)
    text = f"{situation.names.jax}.pure_callback({function}, <shape and dtype of the result>, {args})"
    return [Remedy("jax.pure_callback", text, "a host call each time the program runs; no gradient")]
