"""What a condition chooses from that is no array: a string, None, a function, a class."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from whyjit.analyse.failure.codes.common import BOTH, ONE
from whyjit.analyse.failure.rewrite import branched, paths_of, selected, shortened, traced_condition
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.analyse.failure.rewrite import Paths
    from whyjit.analyse.failure.situation import Situation

Sort = Literal["array", "none", "function", "other"]


def sort_of(situation: Situation, node: ast.expr) -> Sort:
    """What a candidate is, as far as its source or its value tells; "array" stands for all that may be one."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return "none"
        return "other" if isinstance(node.value, (str, bytes)) else "array"
    if isinstance(node, ast.JoinedStr):
        return "other"
    if isinstance(node, ast.Lambda):
        return "function"
    seen = situation.see(node)
    if seen is None:
        return "array"
    if seen.kind in ("function", "jitted"):
        return "function"
    if seen.type_name == "NoneType":
        return "none"
    return "other" if seen.kind in ("type", "module") or seen.type_name in ("str", "bytes") else "array"


def all_arrays(situation: Situation, candidates: Iterable[ast.expr]) -> bool:
    """Whether nothing tells that one of these can be no part of an array."""
    return all(sort_of(situation, one) == "array" for one in candidates)


def other_than_arrays(situation: Situation, condition: str, paths: Paths) -> list[Remedy]:
    """What to do where a candidate is no array: nothing of JAX's selects it. Empty where both may be arrays."""
    sorts = [sort_of(situation, part) for part in (paths.true, paths.false)]
    names = situation.names
    true, false = situation.text(paths.true), situation.text(paths.false)
    if set(sorts) == {"array"}:
        return []
    if set(sorts) == {"function"}:
        text = f"{names.lax}.cond({condition}, {true}, {false}, <operands>) where the chosen function is called"
        return [Remedy("lax.cond", text, ONE)]
    if sorted(sorts) == ["array", "none"]:
        zeros = f"{names.jax}.tree.map({names.jnp}.zeros_like, {false if sorts[0] == 'none' else true})"
        true, false = (zeros, false) if sorts[0] == "none" else (true, zeros)
        chosen = shortened(f"{paths.before}{names.lax}.cond({condition}, lambda: {true}, lambda: {false})")
        cost = "None is no array, so zeros stand for it: return the condition as well where they must be told apart"
        return [Remedy("same structure", chosen or f"return an array of zeros instead of None: {zeros}", cost)]
    called = situation.origin.called if situation.origin is not None and situation.origin.called else "the function"
    used = f"<what is done with {true}>, <what is done with {false}>"
    return [
        Remedy("lax.cond", f"{names.lax}.cond({condition}, {used}, <operands>)", ONE),
        Remedy(
            "outside",
            f"return {condition} from `{called}`, and choose {true} or {false} by it there",
            "one transfer from the device",
        ),
    ]


def in_condition(situation: Situation, old: ast.expr, new: str) -> list[Remedy]:
    """Both ways out of a condition that holds `old`, with `new` in its place: `new` is an array and no Python bool."""
    inner: ast.AST = old
    for owner in reversed(situation.located.ancestors):
        if isinstance(owner, (ast.If, ast.IfExp)) and owner.test is inner:
            paths = paths_of(owner, situation.above(owner))
            condition = traced_condition(owner.test, situation.lines, situation.names, situation.is_list)
            if paths is None or situation.text(old) not in condition:
                return []
            condition = condition.replace(situation.text(old), new)
            others = other_than_arrays(situation, condition, paths)
            if others:
                return others
            where = selected(condition, paths, situation.lines, situation.names)
            cond = branched(condition, paths, situation.lines, situation.names)
            found = [Remedy("jnp.where", where, BOTH)] if where is not None else []
            return [*found, Remedy("lax.cond", cond, ONE)] if cond is not None else found
        if not isinstance(owner, (ast.BoolOp, ast.Compare, ast.UnaryOp, ast.BinOp)):
            return []
        inner = owner
    return []
