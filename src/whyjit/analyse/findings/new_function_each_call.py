"""A function object made anew for each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import holds_function, more, names
from whyjit.analyse.group import deltas, seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Explained

PAGE = Page(
    code="new-function-each-call",
    title="The function is made anew again and again",
    what="Several function objects made from the same source were jitted, and each was traced and compiled for itself.",
    why=(
        "JAX caches by function object. A lambda, a nested function, a partial, a bound method or the result of"
        " `jax.grad` is a new object each time it is made; wrapping a partial in `jax.jit` inside a loop is no remedy."
    ),
    todo="Make and jit the function once, outside the loop or at module level; pass what changes as an argument.",
    ignore="When two or three objects are made in the whole run and each is called many times.",
    before=Example("import jax, jax.numpy as jnp\nfor _ in range(4):\n    jax.jit(lambda x: x + 1)(jnp.ones(3))\n"),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "increment = jax.jit(lambda x: x + 1)\n"
        "for _ in range(4):\n"
        "    increment(jnp.ones(3))\n",
        shows=False,
    ),
)
# What JAX's transformations carry: an option of `grad` or `vmap` is nothing to pass.
_OF_TRANSFORMATIONS = frozenset(
    {"argnums", "has_aux", "holomorphic", "allow_int", "in_axes", "out_axes", "axis_name", "axis_size", "policy"}
)


def find(group: Group) -> Iterator[Finding]:
    """Two or more later specializations for a new function object alone, each called a few times."""
    some = [one for one in group.later if one.cause.changes and all(c.kind == "function" for c in one.cause.changes)]
    some = [one for one in some if not _is_kept(one)]
    if len(some) < 2 or not group.seldom(some):
        return
    named = sorted({change.path for one in some for change in one.cause.changes if change.path})
    path = named[0] if len(named) == 1 else None
    made = len({one.specialization.maker for one in group.explained})
    same = deltas(some) <= {"identical", None}
    silent = "nothing they carry differs" if same else "they read something from outside that differs"
    what = f"{names(named)} differ{'' if len(named) > 1 else 's'} between them" if named else silent
    text = (
        f"{made} function objects were made from `{group.function.qualname}` for {group.calls} calls; {what}:"
        f" {more(some)}"
    )
    yield Finding(
        PAGE.code,
        path,
        text,
        _remedy(group, some, named),
        saves_s=seconds(some),
        location=some[0].specialization.call_site,
        ignore=PAGE.ignore,
    )


def _is_kept(one: Explained) -> bool:
    """Whether a function object was called again and has a program of its own: a variant, and not made at each call."""
    calls = one.specialization.calls + one.specialization.nested_calls
    return calls > 1 and one.delta == "structure" and any(change.path for change in one.cause.changes)


def _remedy(group: Group, some: list[Explained], named: list[str]) -> str:
    once, kinds = f"make and jit `{group.function.name}` once", deltas(some)
    if not named:
        outside = "" if kinds <= {"identical", None} else ", and pass what it reads from outside as an argument"
        return f"{once}, outside the loop{outside}"
    if _OF_TRANSFORMATIONS.issuperset(named):
        return f"{once} for each {names(named)}, outside the loop"
    functions = any(holds_function(change.new) for one in some for change in one.cause.changes)
    inside = "what differs in " if functions else ""
    role = "arguments" if len(named) > 1 else "an argument"
    static = "" if kinds <= {"identical", "literals", "dtypes", None} else " (static where it decides the program)"
    return f"{once}, outside the loop, and pass {inside}{names(named)} as {role}{static}"
