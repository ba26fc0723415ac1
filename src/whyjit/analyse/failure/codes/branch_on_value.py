"""`branch-on-value`: Python was to decide by a value that is being traced."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import BOTH, ONE, Fails, callback, outside, static
from whyjit.analyse.failure.recognise import is_ambiguous
from whyjit.analyse.failure.rewrite import branched, chained, membership, paths_of, selected
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.rewrite import Paths
    from whyjit.analyse.failure.situation import Situation

PAGE = Page(
    code="branch-on-value",
    title="Python asked a traced value whether it is true",
    what=(
        "An `if`, an `assert`, `and`, `or`, `not`, `in`, a chained comparison, `max`, `min`, `any`, a `match` or the "
        "condition of a comprehension needed a Python `bool` of a value that JAX is tracing."
    ),
    why=(
        "While a function is traced its arguments have a shape and a dtype, and no value: one program is made for all "
        "values. A Python decision happens once, at trace time, and cannot become part of that program."
    ),
    todo=(
        "If the decision varies with the data, put it into the program: `jnp.where` computes both candidates and keeps "
        "one, `lax.cond` runs one of two branches, `lax.switch` one of many. If it selects one of a few variants of "
        "the program and its argument is a scalar, make the argument static: each distinct value costs a trace and a "
        "compile. `and`, `or` and `not` have `jnp.logical_and`, `jnp.logical_or` and `jnp.logical_not`; `max` and "
        "`min` have `jnp.maximum` and `jnp.minimum`; `x or default` usually means `default if x is None else x`."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

@jax.jit
def clip_loss(loss, limit):
    if loss > limit:
        return limit
    return loss

clip_loss(jnp.float32(3.0), jnp.float32(1.0))
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

@jax.jit
def clip_loss(loss, limit):
    return jnp.where(loss > limit, limit, loss)

clip_loss(jnp.float32(3.0), jnp.float32(1.0))
""",
        shows=False,
    ),
)
FAILS = Fails("TracerBoolConversionError", "loss > limit", ("loss", "limit"))

_REDUCED = {"any": "any", "all": "all", "sum": "sum", "max": "max", "min": "min", "sorted": "sort"}
_PAIRED = {"max": "maximum", "min": "minimum"}


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    kind = situation.use.kind
    inside = situation.use.inside
    found: list[Remedy] = []
    if is_ambiguous(situation.scene.error, situation.family):
        if kind == "call":
            found = _call(situation)
        elif situation.conditional is None and kind != "in":
            found = _logical(situation)
        return found or _elementwise(situation)
    if kind == "or" and inside is None:
        found += _default(situation)
    if kind == "in":
        found += _membership(situation)
    if kind == "match":
        found += _match(situation)
    if kind == "call":
        found += _call(situation)
    if kind == "filter":
        found += _filter(situation)
    if "assert" in (kind, inside) or _raises(situation.conditional):
        return [*found, *_assert(situation), *static(situation)]
    if kind == "call" and not found:
        return [*static(situation), _passed(situation)]
    if situation.conditional is not None:
        found += _two_paths(situation)
    elif not found:
        found += _logical(situation)
    return [*found, *static(situation)]


def _is_container(situation: Situation, paths: Paths) -> bool:
    """Whether a candidate is seen to be a dict, a tuple or another container: `jnp.where` selects arrays only."""
    seen = [situation.see(part) for part in (paths.true, paths.false)]
    return any(
        each is not None and (each.kind == "container" or (each.kind, each.text) == ("value", "")) for each in seen
    )


def _elementwise(situation: Situation) -> list[Remedy]:
    """A condition with many elements: one decision for each, or one for all by `any` or `all`."""
    names, owner = situation.names, situation.conditional
    condition = situation.array_condition
    paths = None if owner is None else paths_of(owner, situation.above(owner))
    where = None if paths is None else selected(condition, paths, situation.lines, names)
    where = where or f"{names.jnp}.where({condition}, <values where true>, <values where false>)"
    one = f"{names.lax}.cond({names.jnp}.any({condition}), <function if true>, <function if false>, <operands>)"
    return [
        Remedy("jnp.where", where, BOTH),
        Remedy("lax.cond", f"{one}, or {names.jnp}.all for every element", ONE),
    ]


def _raises(owner: ast.AST | None) -> bool:
    """Whether a condition only decides whether to raise."""
    return isinstance(owner, ast.If) and not owner.orelse and isinstance(owner.body[-1], ast.Raise)


def _passed(situation: Situation) -> Remedy:
    """A function outside the user's own code decides by the value."""
    callee = situation.use.callee
    traced = ", ".join(situation.text(part) for part, _ in situation.scene.traced_parts(0, situation.located.node)[:3])
    text = f"pass a Python value for {traced or 'it'}: {callee} decides by it while it is traced"
    return Remedy("Python value", text, "none, where the value is known in Python")


def _two_paths(situation: Situation) -> list[Remedy]:
    owner = situation.conditional
    condition = situation.array_condition
    names = situation.names
    paths = None if owner is None else paths_of(owner, situation.above(owner))
    if paths is not None:
        where = selected(condition, paths, situation.lines, names)
        cond = branched(condition, paths, situation.lines, names)
        if cond is not None and _is_container(situation, paths):
            return [Remedy("lax.cond", cond, ONE)]
        if where is not None and cond is not None:
            return [Remedy("jnp.where", where, BOTH), Remedy("lax.cond", cond, ONE)]
    return [
        Remedy("lax.cond", f"{names.lax}.cond({condition}, <function if true>, <function if false>, <operands>)", ONE),
        Remedy("jnp.where", f"{names.jnp}.where({condition}, <value if true>, <value if false>)", BOTH),
    ]


def _logical(situation: Situation) -> list[Remedy]:
    owner = situation.use.owner
    jnp = situation.names.jnp
    if isinstance(owner, ast.Compare) and situation.use.kind == "chained":
        return [Remedy("&", chained(owner, situation.lines), "none; it is an array, not a Python bool")]
    if isinstance(owner, ast.UnaryOp):
        return [
            Remedy("jnp.logical_not", f"{jnp}.logical_not({situation.text(owner.operand)})", "none; it is an array")
        ]
    if isinstance(owner, ast.BoolOp):
        function = "logical_and" if isinstance(owner.op, ast.And) else "logical_or"
        left, right = situation.text(owner.values[0]), situation.text(owner.values[-1])
        text = f"{jnp}.{function}({left}, {right})"
        return [
            Remedy(f"jnp.{function}", text, "both sides are computed; the result is a bool array, not one of the sides")
        ]
    text = f"{jnp}.where({situation.array_condition}, <value if true>, <value if false>)"
    return [Remedy("jnp.where", text, BOTH)]


def _default(situation: Situation) -> list[Remedy]:
    """`x or default`: nearly always meant for None."""
    owner = situation.use.owner
    if not isinstance(owner, ast.BoolOp) or len(owner.values) != 2:
        return []
    value, default = (situation.text(part) for part in owner.values)
    jnp = situation.names.jnp
    return [
        Remedy(
            "is None", f"{default} if {value} is None else {value}", "none; 0 and 0.0 are then kept instead of replaced"
        ),
        Remedy("jnp.where", f"{jnp}.where({value} != 0, {value}, {default})", BOTH),
    ]


def _membership(situation: Situation) -> list[Remedy]:
    node = situation.located.node
    if not isinstance(node, ast.Compare):
        return []
    text = membership(node, situation.lines, situation.names)
    return [Remedy("jnp.isin", text, "compares with every member; the result is an array, not a Python bool")]


def _match(situation: Situation) -> list[Remedy]:
    owner = situation.use.owner
    if not isinstance(owner, ast.Match):
        return []
    subject = situation.text(owner.subject)
    names = situation.names
    cases = ", ".join(f"<case {situation.text(case.pattern) or ast.unparse(case.pattern)}>" for case in owner.cases[:4])
    more = ", ..." if len(owner.cases) > 4 else ""
    return [
        Remedy(
            "lax.switch",
            f"{names.lax}.switch({subject}, [{cases}{more}], <operands>)",
            "runs one branch, chosen by a number from 0 up (others are clamped); all must return equal types",
        ),
        Remedy(
            "jnp.select",
            f"{names.jnp}.select([{subject} == ..., ...], [<value>, ...], <default>)",
            "computes all candidates",
        ),
    ]


def _call(situation: Situation) -> list[Remedy]:
    call = situation.located.node
    callee = situation.use.callee
    if not isinstance(call, ast.Call):
        return []
    jnp = situation.names.jnp
    if callee in _PAIRED and len(call.args) == 2 and not any(isinstance(one, ast.Starred) for one in call.args):
        left, right = (situation.text(one) for one in call.args)
        name = _PAIRED[callee]
        return [
            Remedy(f"jnp.{name}", f"{jnp}.{name}({left}, {right})", "none; where both are equal the gradient is shared")
        ]
    if callee in _PAIRED and len(call.args) > 2:
        name = _PAIRED[callee]
        text = situation.text(call.args[0])
        for one in call.args[1:]:
            text = f"{jnp}.{name}({text}, {situation.text(one)})"
        return [Remedy(f"jnp.{name}", text, "none")]
    if callee in _REDUCED and call.args and _is_call_of(call.args[0], "filter"):
        values = situation.text(call.args[0].args[-1]) if isinstance(call.args[0], ast.Call) else "<values>"
        text = f"{jnp}.{_REDUCED[callee]}({values}, where=<condition on {values}>)"
        return [Remedy("where=", text, "all elements are computed, and those that do not count are left out")]
    if callee in _REDUCED and call.args:
        first = call.args[0]
        given = situation.text(first)
        if isinstance(first, (ast.GeneratorExp, ast.ListComp, ast.List, ast.Tuple)):
            given = f"{jnp}.stack({_listed(situation, first)})"
        name = _REDUCED[callee]
        return [Remedy(f"jnp.{name}", f"{jnp}.{name}({given})", "the result is an array, not a Python bool")]
    if callee == "bool" and call.args:
        given = situation.text(call.args[0])
        return [
            Remedy(
                "jnp.where",
                f"keep {given} an array, and choose with {jnp}.where or {situation.names.lax}.cond",
                BOTH,
            )
        ]
    return []


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _listed(situation: Situation, node: ast.expr) -> str:
    text = situation.text(node)
    if isinstance(node, ast.GeneratorExp):
        return f"[{text[1:-1] if text.startswith('(') else text}]"
    return text


def _filter(situation: Situation) -> list[Remedy]:
    condition = situation.array_condition
    jnp = situation.names.jnp
    return [
        Remedy(
            "jnp.where",
            f"{jnp}.where({condition}, <value>, <neutral value>)",
            "keeps every element: the number of results cannot depend on values",
        ),
        Remedy("where=", f"{jnp}.sum(<values>, where={condition})", "none, for reductions"),
    ]


def _assert(situation: Situation) -> list[Remedy]:
    condition = situation.array_condition
    jax = situation.names.jax
    message = '"..."'
    owner = situation.conditional
    if isinstance(owner, ast.Assert) and owner.msg is not None:
        message = situation.text(owner.msg)
    if isinstance(owner, ast.If):  # it raises where an assert would hold
        condition = f"{situation.names.jnp}.logical_not({condition})"
        raised = owner.body[-1]
        if isinstance(raised, ast.Raise) and isinstance(raised.exc, ast.Call) and raised.exc.args:
            message = situation.text(raised.exc.args[0])
    return [
        Remedy(
            "checkify",
            f"from jax.experimental import checkify; checkify.check({condition}, {message})",
            f"the jitted function must be wrapped: {jax}.jit(checkify.checkify(f)), which also returns the error",
        ),
        callback(situation, f"<function that raises>, {condition}"),
        outside(situation, "assert"),
    ]
