"""Loops and branches called outside a jit with a new body each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more, named
from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group

PAGE = Page(
    code="eager-control-flow",
    title="A loop outside a jit is compiled again for a new body",
    what=(
        "`lax.scan`, `while_loop`, `cond` or a relative was called outside a jit with functions made anew, and"
        " compiled each time."
    ),
    why="Outside a jit such a call is compiled on its own, keyed by the function objects of its body.",
    todo="Define the body once, at module level, or put `jax.jit` on the function that calls it.",
    ignore="When it is called once.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "def settle(x):\n"
        "    return jax.lax.while_loop(lambda v: v > 1, lambda v: v / 2, x)\n"
        "for start in (8.0, 5.0, 3.0):\n"
        "    settle(jnp.float32(start))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def settle(x):\n"
        "    return jax.lax.while_loop(lambda v: v > 1, lambda v: v / 2, x)\n"
        "for start in (8.0, 5.0, 3.0):\n"
        "    settle(jnp.float32(start))\n",
        shows=False,
    ),
)
LOOPS = frozenset({"scan", "while", "cond", "switch", "map"})
_SAME_TYPES = frozenset({"unknown", "cleared"})


def find(group: Group) -> Iterator[Finding]:
    """A line that compiled one loop several times while its bodies were traced again."""
    if group.function.origin != "eager" or not any(times > 1 for _, times in group.function.bodies):
        return
    some = [
        one
        for one in group.explained
        if one.specialization.operation in LOOPS
        and any(s.kind in ("compile", "lower") for s in one.specialization.stages)
    ]
    # New types compile anew whatever the body; only what was compiled again for the same types is the body's doing.
    if not any(one.cause.kind in _SAME_TYPES for one in some[1:]):
        return
    bodies = ", ".join(f"{name} {times}x" for name, times in group.function.bodies if times > 1)
    later = some[1:]
    names = ", ".join(dict.fromkeys(one.specialization.operation for one in some))
    text = (
        f"`lax.{names}` outside a jit was compiled {len(some)} times at this line, its functions made and"
        f" traced anew ({bodies}): {more(later)}"
    )
    yield Finding(
        PAGE.code,
        None,
        text,
        _remedy(group),
        saves_s=seconds(later),
        location=some[0].specialization.call_site,
        ignore=PAGE.ignore,
    )


def _remedy(group: Group) -> str:
    inside = named(group.function.qualname)
    where = f"`{inside}`" if inside else "the function around it"
    return f"put `jax.jit` on {where}, or define the body once, at module level, and pass what changes as an operand"
