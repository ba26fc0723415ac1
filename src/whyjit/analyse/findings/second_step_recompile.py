"""Outputs fed back as inputs that differ from what the loop began with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import dtype_of, more
from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

PAGE = Page(
    code="second-step-recompile",
    title="The second step compiles again",
    what=(
        "The first call was followed by a second compile, because a value that came back from the function"
        " differs in type from the one the loop began with."
    ),
    why=(
        "A Python number or `jnp.array(0.0)` is weakly typed, a result is not; a result lies where the program"
        " put it; a container may come back as another."
    ),
    todo=(
        "Make the initial value as the function returns it: give it a dtype, put it where the step returns it,"
        " use the same container."
    ),
    ignore="When the one extra compile does not matter.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def step(t):\n"
        "    return t + jnp.float32(0.1)\n"
        "t = 0.0\n"
        "for _ in range(4):\n"
        "    t = step(t)\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def step(t):\n"
        "    return t + jnp.float32(0.1)\n"
        "t = jnp.float32(0.0)\n"
        "for _ in range(4):\n"
        "    t = step(t)\n",
        shows=False,
    ),
)
_LOOP = 2  # calls of the second specialization, from which on it is a loop
KINDS = frozenset({"weak_type", "dtype", "sharding", "structure"})


def find(group: Group) -> Iterator[Finding]:
    """The second call's specialization differs from the first's in how fed-back leaves are typed or placed."""
    one = next((one for one in group.later if group.step_two(one)), None)
    if one is None or not is_second_step(group, one):
        return
    change = one.cause.changes[0]
    path = change.path
    others = len({other.path for other in one.cause.changes} - {path})
    also = f", and {others} more leaves with it" if others > 1 else ", and one more leaf with it" if others else ""
    text = (
        f"the second call compiled again: `{path}` began as {change.old} and came back as {change.new}{also}:"
        f" {more([one])}"
    )
    remedy = f"make the initial `{path}` as `{group.function.name}` returns it: {_made(change)}"
    yield Finding(
        PAGE.code,
        path,
        text,
        remedy,
        saves_s=seconds([one]),
        location=group.explained[0].specialization.call_site,
        ignore=PAGE.ignore,
    )


def is_second_step(group: Group, one: Explained) -> bool:
    """Whether a specialization's new leaf types are those the first call returned, in a loop that went on."""
    if (
        not group.step_two(one)
        or one.specialization.calls + one.specialization.nested_calls < _LOOP
        or not one.cause.changes
        or any(change.kind not in KINDS for change in one.cause.changes)
    ):
        return False
    returned = {(leaf.shape, leaf.dtype, leaf.weak_type) for leaf in group.explained[0].specialization.outputs}
    return all(_returned(one, change, returned) for change in one.cause.changes)


def _returned(one: Explained, change: Change, returned: set[tuple[tuple[int, ...], str, bool]]) -> bool:
    if change.kind == "structure":
        return bool(returned)
    leaf = next((leaf for leaf in one.specialization.signature.leaves if leaf.path == change.path), None)
    return leaf is not None and (leaf.shape, leaf.dtype, leaf.weak_type) in returned


def _made(change: Change) -> str:
    match change.kind:
        case "weak_type" | "dtype":
            return f"`jnp.asarray(..., dtype=jnp.{dtype_of(change.new)})`"
        case "sharding":
            return f"`jax.device_put` it first ({change.new})"
        case _:
            return f"{change.new} from the start"
