"""Outputs fed back as inputs that differ from what the loop began with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import dtype_of, more, names
from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained
    from whyjit.model.recording import Specialization
    from whyjit.model.signature import Leaf

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
_STEPS = 3  # an optimizer's state may settle a step after the parameters
_ORDINALS = ("", "second", "second and third", "second to fourth")
_RESULTS = frozenset({"jax", "traced"})  # what a function returns is no number of Python's and no array of NumPy's
_MESHES = frozenset({"mesh_context_manager", "abstract_mesh_context_manager"})
KINDS = frozenset({"weak_type", "dtype", "sharding", "structure"})


def find(group: Group) -> Iterator[Finding]:
    """The first specializations of a loop differ in how fed-back leaves are typed or placed, until they settle."""
    some = first_steps(group)
    if not some:
        return
    changes = list({change.path: change for one in some for change in one.cause.changes}.values())
    first = changes[0]
    also = f", and {units(len(changes) - 1)} with it" if len(changes) > 1 else ""
    calls = "the second call" if len(some) == 1 else f"the {_ORDINALS[len(some)]} calls"
    change = f"`{first.path}` began as {first.old} and was {first.new} from then on"
    text = f"{calls} compiled again: {change}{also}: {more(some)}"
    paths = names([str(change.path) for change in changes])
    remedy = f"make the initial {paths} as `{group.function.name}` returns it: {_made(first)}"
    yield Finding(
        PAGE.code,
        first.path,
        text,
        remedy,
        saves_s=seconds(some),
        location=group.explained[0].specialization.call_site,
        ignore=PAGE.ignore,
    )


def units(count: int) -> str:
    """So many more leaves."""
    return "one more leaf" if count == 1 else f"{count} more leaves"


def first_steps(group: Group) -> list[Explained]:
    """The specializations of the second call, and of those right after it, that came of values fed back.

    Each replaced the one before after a single call, its changed leaves are of types that the call before returned, and
    with the last of them the loop went on.
    """
    found: list[Explained] = []
    previous = group.explained[0] if group.explained else None
    for one in group.later:
        if previous is None or len(found) == _STEPS or not _fed_back(one, previous):
            break
        found.append(one)
        previous = one
    while found and _calls(found[-1]) < _LOOP:
        found.pop()
    return found


def is_second_step(group: Group, one: Explained) -> bool:
    """Whether a specialization is one of those."""
    return one in first_steps(group)


def _calls(one: Explained) -> int:
    return one.specialization.calls + one.specialization.nested_calls


def _fed_back(one: Explained, previous: Explained) -> bool:
    before = previous.specialization
    if (
        one.specialization.number != before.number + 1
        or one.compared_with != before.number
        or _calls(previous) != 1
        or before.earlier
        or before.error
        or not one.cause.changes
        or any(change.kind not in KINDS for change in one.cause.changes)
    ):
        return False
    returned = {(leaf.shape, leaf.dtype, leaf.weak_type) for leaf in before.outputs}
    return all(_returned(one, change, returned, before) for change in one.cause.changes)


def _returned(
    one: Explained, change: Change, returned: set[tuple[tuple[int, ...], str, bool]], before: Specialization
) -> bool:
    leaf = next((leaf for leaf in one.specialization.signature.leaves if leaf.path == change.path), None)
    if leaf is None:
        return change.kind == "structure" and bool(returned)
    if leaf.holder not in _RESULTS or (leaf.shape, leaf.dtype, leaf.weak_type) not in returned:
        return False
    return change.kind != "sharding" or _lay_there(leaf, before)


def _lay_there(leaf: Leaf, before: Specialization) -> bool:
    """Whether the call before could put a result where this leaf lies.

    A result is committed to a place only if an argument was, or if the jit or a mesh around the call says so.
    """
    signature = before.signature
    if any(name == "out_shardings" for name, _ in signature.options):
        return True
    if any(name in _MESHES and text != "default" for name, text in signature.context):
        return True
    places = {_devices(other.sharding) for other in signature.leaves if other.committed}
    return _devices(leaf.sharding) in places


def _devices(sharding: str) -> str:
    """Where an array lies without how it is cut: the mesh and its devices, or the device."""
    return sharding.partition(" on mesh ")[2] or sharding


def _made(change: Change) -> str:
    match change.kind:
        case "weak_type" | "dtype":
            return f"`jnp.asarray(..., dtype=jnp.{dtype_of(change.new)})`"
        case "sharding":
            return f"`jax.device_put` it first ({change.new})"
        case _:
            return f"{change.new} from the start"
