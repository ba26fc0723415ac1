"""A scalar that is weakly typed at times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._flip import flips
from whyjit.analyse.findings._words import dtype_of, element
from whyjit.analyse.page import Example, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained, Finding

PAGE = Page(
    code="weak-type-flip",
    title="A value is weakly typed at times",
    what="An argument was weakly typed in some calls and not in others, and both were compiled.",
    why="Python numbers, and arrays made of them without a dtype, are weakly typed; the weak type is part of the key.",
    todo=(
        "Fix the type once where the value is made: `jnp.float32(x)`, `jnp.asarray(x, dtype=...)`, or a Python"
        " number everywhere."
    ),
    ignore="When it is one extra compile of a small function.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "scale = jax.jit(lambda x, s: x * s)\n"
        "for s in (0.5, jnp.float32(0.5), 0.25, jnp.float32(0.25)):\n"
        "    scale(jnp.ones(3), s)\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "scale = jax.jit(lambda x, s: x * s)\n"
        "for s in (0.5, 0.5, 0.25, 0.25):\n"
        "    scale(jnp.ones(3), s)\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """Weak type changed and the dtype did not."""
    return flips(group, PAGE, "weak_type", _remedy, unless=_dtype_changed, word=element)


def _dtype_changed(one: Explained, change: Change) -> bool:
    return any(other.kind == "dtype" and other.path == change.path for other in one.cause.changes)


def _remedy(named: str, changes: list[Change]) -> str:
    strong = dtype_of(changes[0].old)
    return (
        f"give {named} its dtype where it is made (`jnp.{strong}(...)` or `jnp.asarray(..., dtype=jnp.{strong})`),"
        " or pass a Python number at every call"
    )
