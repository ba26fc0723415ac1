"""Look-ups by a traced key: in a dict or a set, or in the cache of a function."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.rewrite import membership
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation


def keyed(situation: Situation) -> list[Remedy]:
    """The ways out of a look-up, the fittest first."""
    node, jnp = situation.located.node, situation.names.jnp
    if isinstance(node, ast.Compare):
        text = membership(node, situation.lines, situation.names)
        right = node.comparators[0]
        if not isinstance(right, ast.Set):  # only a display can be written as a list
            text = text.replace(f"array({situation.text(right)})", f"array(list({situation.text(right)}))")
        return [Remedy("jnp.isin", text, "compares with every member; the result is an array, not a Python bool")]
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        value = situation.located.statement
        new = situation.text(value.value) if isinstance(value, ast.Assign) else "<value>"
        owner, key = situation.text(node.value), situation.text(node.slice)
        text = f"{owner} = {jnp}.zeros(<most keys>).at[{key}].set({new})"
        return [Remedy("array table", text, "the values must be numbers, and the keys 0, 1, 2, ...")]
    if isinstance(node, ast.Subscript):
        return table(situation, situation.text(node.slice))
    if not isinstance(node, ast.Call):
        return []
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    first = situation.text(node.args[0]) if node.args else ""
    if method in ("get", "pop", "setdefault", "__getitem__") and first:
        return table(situation, first)
    if method in ("add", "discard", "remove") and first and isinstance(node.func, ast.Attribute):
        owner = situation.text(node.func.value)
        text = f"{owner} = {jnp}.zeros(<most values>, bool).at[{first}].set({method == 'add'})"
        return [Remedy("mask", text, "one flag for each possible value: the values must be 0, 1, 2, ...")]
    seen = situation.see(node.func)
    if seen is not None and seen.type_name == "_lru_cache_wrapper":
        given = ", ".join(situation.text(one) for one in (*node.args, *node.keywords))
        text = f"{situation.text(node.func)}.__wrapped__({given})"
        return [Remedy("without the cache", text, "none: while tracing it runs once for each program")]
    return []


def table(situation: Situation, key: str) -> list[Remedy]:
    """A dict's values as an array, or as the branches of a `switch`."""
    names = situation.names
    return [
        Remedy(
            "array table",
            f"{names.jnp}.array([<value of each key, in order>])[{key}]",
            "the values must be numbers, and the keys 0, 1, 2, ...",
        ),
        Remedy(
            "lax.switch",
            f"{names.lax}.switch({key}, [<function for each key>], <operands>)",
            "all must return equal types",
        ),
    ]
