"""`branch-on-value`: Python was to decide by a value that is being traced."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.candidates import all_arrays, other_than_arrays
from whyjit.analyse.failure.codes.chains import chain_remedies
from whyjit.analyse.failure.codes.common import BOTH, ONE, REVERSE, Fails, callback, outside, static
from whyjit.analyse.failure.codes.deciding_calls import deciding_call
from whyjit.analyse.failure.codes.loops import carried_names
from whyjit.analyse.failure.codes.matching import matching
from whyjit.analyse.failure.recognise import is_ambiguous
from whyjit.analyse.failure.rewrite import (
    branched,
    chained,
    membership,
    paths_of,
    reduced,
    selected,
)
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


def remedies(situation: Situation) -> list[Remedy]:
    """The ways out, the fittest first."""
    kind = situation.use.kind
    inside = situation.use.inside
    found = _optional(situation)
    if is_ambiguous(situation.scene.error, situation.family):
        if kind == "or" and inside is None:
            return [*found, *_default(situation)]
        if kind == "call":
            found = deciding_call(situation)
        elif situation.conditional is None and kind != "in":
            found += _logical(situation)
        return found or _elementwise(situation)
    if kind == "or" and inside is None:
        found += _default(situation)
    if kind == "in":
        found += _membership(situation)
    if kind == "match":
        found += matching(situation)
    if kind == "call" and situation.conditional is None:
        found += deciding_call(situation)
    if kind == "filter":
        found += _filter(situation)
    if "assert" in (kind, inside) or _raises(situation.conditional):
        return [*found, *_assert(situation), *static(situation)]
    if kind == "call" and not found and not _can_be_written(situation):
        return [*static(situation), _passed(situation)]
    leaving = _leaves_loop(situation)
    if leaving:
        return [*found, *leaving]
    if situation.conditional is not None:
        found += _two_paths(situation)
    elif not found:
        found += _logical(situation)
    if situation.nature == "configuration":
        return [*static(situation), *found]
    return [*found, *static(situation)]


def _can_be_written(situation: Situation) -> bool:
    """Whether a condition that failed within itself can be written with arrays: `any(...)`, no library's call."""
    call = situation.located.node
    written = isinstance(call, ast.Call) and reduced(call, situation.lines, situation.names) is not None
    return written and situation.conditional is not None


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
    plain = paths is not None and all_arrays(situation, (paths.true, paths.false))
    where = selected(condition, paths, situation.lines, names) if paths is not None and plain else None
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
    text = f"pass a Python value for {situation.given or 'it'}: {callee} decides by it while it is traced"
    return Remedy("Python value", text, "none, where the value is known in Python")


def _two_paths(situation: Situation) -> list[Remedy]:
    owner = situation.conditional
    condition = situation.array_condition
    names = situation.names
    paths = None if owner is None else paths_of(owner, situation.above(owner))
    name = situation.function_name
    if paths is not None and name and any(_calls(part, name) for part in (paths.true, paths.false)):
        text = f"the recursion of {name} as a loop: {names.lax}.while_loop(<goes on>, <next state>, <first state>)"
        return [Remedy("lax.while_loop", text, REVERSE)]
    chain = chain_remedies(situation, owner)
    if chain:
        return chain
    if paths is not None:
        others = other_than_arrays(situation, condition, paths)
        if others:
            return others
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


def _calls(node: ast.AST, name: str) -> bool:
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(ast.unparse(call.func).rpartition(".")[2] == name for call in calls)


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


def _optional(situation: Situation) -> list[Remedy]:
    """The truth of a parameter that may be left out: nearly always meant as "is it given"."""
    node, owner = situation.located.node, situation.conditional
    if not isinstance(node, ast.Name) or owner is None or not _may_be_none(situation, node.id):
        return []
    test = owner.test
    negated = isinstance(test, ast.UnaryOp) and test.operand is node
    asked = f"{node.id} is {'' if negated else 'not '}None"
    cost = "none; whether an argument is given is known while tracing"
    if test is not node and not negated:
        return [Remedy("is not None", f"{asked} in place of {node.id}", cost)]
    name = "is None" if negated else "is not None"
    if isinstance(owner, ast.IfExp):
        return [Remedy(name, f"{situation.text(owner.body)} if {asked} else {situation.text(owner.orelse)}", cost)]
    return [Remedy(name, f"{type(owner).__name__.lower()} {asked}:", cost)]


def _may_be_none(situation: Situation, name: str) -> bool:
    function = situation.located.function
    if function is None:
        return False
    arguments = function.args
    places = [*arguments.posonlyargs, *arguments.args]
    given = arguments.defaults
    defaults = [*zip(places[len(places) - len(given) :], given, strict=True)]
    defaults += [
        (place, value) for place, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
    ]
    return any(
        place.arg == name and isinstance(value, ast.Constant) and value.value is None for place, value in defaults
    )


def _leaves_loop(situation: Situation) -> list[Remedy]:
    """A condition that only decides whether a Python loop goes on."""
    owner = situation.conditional
    if not isinstance(owner, ast.If) or owner.orelse or not isinstance(owner.body[-1], (ast.Break, ast.Return)):
        return []
    inside = situation.above(owner)
    function = situation.located.function
    behind = inside[inside.index(function) :] if function is not None and function in inside else inside
    loop = next((part for part in reversed(behind) if isinstance(part, (ast.For, ast.While))), None)
    if loop is None:
        return []
    names = ", ".join(carried_names(loop, function)) or "carry"
    group = f"({names})" if ", " in names else names
    stop = f"{situation.names.jnp}.logical_not({situation.array_condition})"
    call = f"{situation.names.lax}.while_loop(cond, body,"
    if isinstance(loop, ast.For):
        place = f"the place in {situation.text(loop.iter)}"
        text = f"{call} <{group} and {place}>)  # cond: it is not over, and {stop}"
    else:
        always = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
        going = stop if always else f"{situation.names.jnp}.logical_and({situation.text(loop.test)}, {stop})"
        text = f"{names} = {call} {group})  # cond: {going}; body returns the new {group}"
    return [Remedy("lax.while_loop", text, REVERSE)]


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
