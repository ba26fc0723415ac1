"""`concrete-needed`: Python needed the number itself of a value that is being traced."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.candidates import in_condition
from whyjit.analyse.failure.codes.common import Fails, callback, outside, static
from whyjit.analyse.failure.codes.from_math import INTEGER, from_math
from whyjit.analyse.failure.codes.keys import keyed, table
from whyjit.analyse.failure.recognise import SHAPED, fails_anyway
from whyjit.analyse.failure.rewrite import grouped
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

PAGE = Page(
    code="concrete-needed",
    title="Python needed the number behind a traced value",
    what=(
        "`float`, `int`, `.item()`, a function of `math`, an index of a list, a key of a dict or a format needed the "
        "value of something that JAX is tracing."
    ),
    why="While a function is traced its arguments have a shape and a dtype, and no value: there is no number to give.",
    todo=(
        "Keep the value an array: arithmetic and `jax.numpy` take it as it is, `jnp.stack(things)[i]` or `lax.switch` "
        "replaces a look-up, and `jax.debug.print` prints it when the program runs. Return it and convert the result "
        "outside where Python really needs the number. If it decides the program, make the argument it came from "
        "static."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

tables = [jnp.ones(2), jnp.zeros(2)]

@jax.jit
def pick(which, scale):
    return tables[which] * scale

pick(1, 2.0)
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

tables = [jnp.ones(2), jnp.zeros(2)]

@jax.jit
def pick(which, scale):
    return jnp.stack(tables)[which] * scale

pick(1, 2.0)
""",
        shows=False,
    ),
)
FAILS = Fails("TracerIntegerConversionError", "tables[which]", ("which",))

_DTYPES = {"int": "int", "float": "float", "complex": "complex", "operator.index": "int", "round": "int"}
_METHODS = {"item", "tolist", "__index__", "__int__", "__float__"}


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    kind = situation.use.kind
    if situation.family == "key":
        return [*keyed(situation), *static(situation)]
    if kind == "call":
        found = _call(situation)
        return found if any(one.name == "static_argnames" for one in found) else [*found, *static(situation)]
    if isinstance(situation.located.node, ast.BinOp) and situation.family == "int":
        return [*static(situation), *_repeated(situation, situation.located.node)]
    if kind in ("index", "slice"):
        return [*_index(situation), *static(situation)]
    if kind in ("format", "and", "or", "not"):
        return [_printed(situation), outside(situation, "format it"), *static(situation)]
    return [*static(situation), outside(situation, "use its value")]


def _call(situation: Situation) -> list[Remedy]:
    call = situation.located.node
    if not isinstance(call, ast.Call):
        return []
    callee = situation.use.callee
    first = situation.text(call.args[0]) if call.args else ""
    module, _, name = callee.rpartition(".")
    if module == "math":
        jnp = from_math(situation, name, call)
        fixed = static(situation) if name in INTEGER and _decides_shape(situation) else []
        if fixed or jnp is None:
            return fixed or [outside(situation, f"call {callee}")]
        whole = in_condition(situation, call, jnp.text)
        return [Remedy(jnp.name, whole[0].text, whole[0].cost), *whole[1:]] if whole else [jnp]
    if callee in _DTYPES and first:
        return _conversion(situation, call, callee, first)
    if name in _METHODS and isinstance(call.func, ast.Attribute):
        owner = situation.text(call.func.value)
        return [
            Remedy("keep the array", f"use {owner} itself instead of {situation.expression}", "none"),
            outside(situation, f"call .{name}()"),
            *_called_back(situation, f"<function>, {owner}"),
        ]
    ours = (situation.names.jnp, situation.names.jax, situation.names.lax.split(".")[0])
    method = isinstance(call.func, ast.Attribute) and situation.is_traced(call.func.value)
    if method or (module and module.split(".")[0] in ours):
        text = f"pass a Python value for {situation.given or 'it'}: {callee} needs it to build the program"
        return [*static(situation), Remedy("Python value", text, "none, where the value is known in Python")]
    if callee == "print" or name in ("format", "write", "info", "debug", "warning", "error", "log"):
        return [_printed(situation), outside(situation, "print it")]
    return [outside(situation, f"call {callee}"), *_called_back(situation, f"{callee}, {first or '<value>'}")]


def _called_back(situation: Situation, action: str) -> list[Remedy]:
    """Do it when the program runs, where nothing more is done with the result."""
    used = not isinstance(situation.located.statement, ast.Expr)
    return [] if used else [callback(situation, action)]


def _conversion(situation: Situation, call: ast.Call, callee: str, first: str) -> list[Remedy]:
    python = _in_python(situation, call)
    target = _DTYPES[callee]
    cast = f"{grouped(call.args[0], first)}.astype({target})"
    if callee == "complex" and len(call.args) == 2:
        text = f"(({first}) + 1j * ({situation.text(call.args[1])}))"
        return [Remedy("1j", text, "none; it stays an array"), outside(situation, f"apply {callee}")]
    drop = Remedy(
        "drop the conversion", f"use {first} itself: arithmetic and {situation.names.jnp} take it as it is", "none"
    )
    astype = Remedy("astype", cast, "none; it stays an array, so it cannot be a shape or a list index")
    rounds = target == "int" and situation.value is not None and "float" in situation.value.dtype
    found = [
        *([astype] if rounds else [drop, astype]),
        *_called_back(situation, f"<function>, {first}"),
        outside(situation, f"apply {callee}"),
    ]
    if situation.configurable and _decides_shape(situation):  # an array would do no better there
        return [*static(situation), *([python] if python is not None else [])]
    if situation.configurable and python is not None:
        return [*static(situation), python, *found]
    return found


def _decides_shape(situation: Situation) -> bool:
    """Whether the expression is part of an argument that decides a shape, of a `range`, or repeats a list."""
    above = situation.located.ancestors[-1] if situation.located.ancestors else None
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mult):
        other = above.left if above.right is situation.located.node else above.right
        if isinstance(other, (ast.List, ast.Tuple, ast.JoinedStr)) or isinstance(getattr(other, "value", None), str):
            return True
    for parent in reversed(situation.located.ancestors):
        if isinstance(parent, ast.stmt):
            return False
        name = ast.unparse(parent.func).rpartition(".")[2] if isinstance(parent, ast.Call) else ""
        if name in SHAPED or name in ("range", "histogram"):
            return True
    return False


def _repeated(situation: Situation, node: ast.BinOp) -> list[Remedy]:
    """`[x] * n`: as often as a traced value says."""
    text = f"a mask over <largest {situation.text(node.right)}> of them, or lax.fori_loop where it is looped over"
    return [Remedy("fixed size", text, "all are computed, at the largest size; what lies beyond is masked")]


def _in_python(situation: Situation, call: ast.Call) -> Remedy | None:
    """The same arithmetic on Python numbers, for `int(jnp.round(x))` on what may be static."""
    jnp = f"{situation.names.jnp}."
    text = situation.text(call)
    if jnp not in text:
        return None
    numpy = text.replace(jnp, f"{situation.names.np}.")
    return Remedy("NumPy", f"{numpy}, with its arguments static", "computed once, while tracing")


def _index(situation: Situation) -> list[Remedy]:
    node = situation.located.node
    if not isinstance(node, ast.Subscript):
        return []
    owner, index = situation.text(node.value), situation.text(node.slice)
    if isinstance(node.slice, ast.JoinedStr):  # `layers[f"layer{i}"]`
        index = situation.given
    if fails_anyway(situation.scene.message):  # it is no whole number, and an array wants one, too
        bare = isinstance(node.slice, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        index = f"{index}.astype(int)" if bare else f"({index}).astype(int)"
    seen = situation.see(node.value)
    names = situation.names
    if seen is not None and seen.type_name == "dict":
        return table(situation, index)
    if seen is not None and seen.kind == "value" and seen.type_name == "str":
        return [outside(situation, "index it")]
    if situation.use.kind == "slice":
        return [
            Remedy(
                "array",
                f"{names.jnp}.array({owner}) and a mask over it",
                "all elements are kept; they must have one shape",
            ),
        ]
    first = situation.see(ast.Subscript(node.value, ast.Constant(0), ast.Load()))
    if first is not None and first.type_name == "str":  # no array can hold them
        return []
    function = "array" if first is not None and first.type_name in ("int", "float", "bool") else "stack"
    return [
        Remedy(
            f"jnp.{function}",
            f"{names.jnp}.{function}({owner})[{index}]",
            "all elements are put into one array; they must have one shape and dtype",
        ),
        Remedy(
            "lax.switch",
            f"{names.lax}.switch({index}, [lambda one=one: one for one in {owner}])",
            "runs one branch; all must return the same structure, shapes and dtypes",
        ),
    ]


def _new_style(text: str) -> str:
    """A format of `%` as one of `str.format`."""
    text = text.replace("{", "{{").replace("}", "}}")
    kept = re.sub(r"%(?:\([^)]*\))?([-+0# ]*\d*(?:\.\d+)?[eEfFgG])", r"{:\1}", text)
    return re.sub(r"%(?:\([^)]*\))?[-+0# ]*\d*(?:\.\d+)?[diursxXoac]", "{}", kept).replace("%%", "%")


def _printed(situation: Situation) -> Remedy:
    text, given = '"{}"', "<value>"
    node = situation.located.node
    if isinstance(node, ast.JoinedStr):
        parts: list[str] = []
        values: list[str] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value).replace("{", "{{").replace("}", "}}"))
            elif isinstance(part, ast.FormattedValue):
                spec = "".join(
                    str(one.value) for one in ast.walk(part.format_spec or part) if isinstance(one, ast.Constant)
                )
                parts.append(f"{{:{spec}}}" if part.format_spec is not None else "{}")
                values.append(ast.unparse(part.value))
        text, given = repr("".join(parts)), ", ".join(values)
    elif isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant):
        operands = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        text, given = repr(_new_style(str(node.left.value))), ", ".join(situation.text(one) for one in operands)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text = situation.text(node.func.value)
        given = ", ".join(situation.text(one) for one in (*node.args, *node.keywords))
    return Remedy(
        "jax.debug.print",
        f"{situation.names.jax}.debug.print({text}, {given})",
        "a host call each time the program runs, and the jitted function leaves JAX's fast path",
    )
