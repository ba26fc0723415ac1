"""Functions of Python's own that decide by the truth of a value: `max`, `any`, `sorted`, `list.index`, ..."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import BOTH
from whyjit.analyse.failure.rewrite import reduced
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation

_PAIRED = {"max": "maximum", "min": "minimum"}


def deciding_call(situation: Situation) -> list[Remedy]:
    """The same with arrays, where the failing expression is such a call."""
    call = situation.located.node
    callee = situation.use.callee
    if not isinstance(call, ast.Call):
        return []
    jnp = situation.names.jnp
    if callee in _PAIRED and any(isinstance(one, ast.Starred) for one in call.args) and not call.keywords:
        text = f"{jnp}.{callee}({jnp}.stack([{', '.join(situation.text(one) for one in call.args)}]))"
        return [Remedy(f"jnp.{callee}", text, "all are put into one array; they must have one shape")]
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
    if call.args and _is_call_of(call.args[0], "filter"):
        values = situation.text(call.args[0].args[-1]) if isinstance(call.args[0], ast.Call) else "<values>"
        text = f"{jnp}.{callee}({values}, where=<condition on {values}>)"
        if callee not in ("sum", "max", "min", "any", "all"):
            text = f"{jnp}.where(<condition on {values}>, {jnp}.stack({values}), <fill>)"
            return [Remedy("jnp.where", text, "keeps all elements: how many there are cannot depend on values")]
        return [Remedy("where=", text, "all elements are computed, and those that do not count are left out")]
    if callee.rpartition(".")[2] == "reduce" and call.args and situation.text(call.args[0]) in _PAIRED:
        name = _PAIRED[situation.text(call.args[0])]
        rest = ", ".join(situation.text(one) for one in call.args[1:])
        return [Remedy(f"jnp.{name}", f"{callee}({jnp}.{name}, {rest})", "none; the result is an array")]
    if callee in _PAIRED and call.keywords:
        text = f"{jnp}.arg{callee}({jnp}.stack([<what is compared, of each>])) as an index into the stacked candidates"
        return [Remedy(f"jnp.arg{callee}", text, "the candidates are put into one array; they must have one shape")]
    array = None if callee == "bool" else reduced(call, situation.lines, situation.names, situation.is_list)
    if array is not None:
        name = array.partition("(")[0].rpartition(".")[2]
        return [Remedy(f"jnp.{name}", array, "the result is an array, not a Python bool")]
    if isinstance(call.func, ast.Attribute):
        return _method(situation, call, call.func)
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


def _method(situation: Situation, call: ast.Call, function: ast.Attribute) -> list[Remedy]:
    """A method of a list that compares its elements."""
    jnp = situation.names.jnp
    owner = situation.text(function.value)
    if function.attr == "sort" and not call.args:
        text = f"{owner} = list({jnp}.sort({jnp}.stack({owner})))"
        return [Remedy("jnp.sort", text, "all elements are put into one array; they must have one shape")]
    if function.attr == "index" and call.args:
        text = f"{jnp}.argmax({jnp}.array({owner}) == {situation.text(call.args[0])})"
        return [
            Remedy("jnp.argmax", text, "compares with every element; gives 0 where none is equal, and never raises")
        ]
    if function.attr == "count" and call.args:
        text = f"{jnp}.sum({jnp}.array({owner}) == {situation.text(call.args[0])})"
        return [Remedy("jnp.sum", text, "compares with every element")]
    return []


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
