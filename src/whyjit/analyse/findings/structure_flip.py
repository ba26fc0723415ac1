"""An argument whose containers change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._flip import flips
from whyjit.analyse.page import Example, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained, Finding

PAGE = Page(
    code="structure-flip",
    title="An argument changes its structure",
    what="The same argument came in another container, with other keys, or as None, and was compiled for each.",
    why="The pytree structure of the arguments is part of the key, even where the arrays are the same.",
    todo=(
        "Keep one container: the same dict keys, tuple or list but not both, an array of zeros or ones instead of None."
    ),
    ignore="When the structures are real variants of the model and each is used often.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "total = jax.jit(lambda layers: sum(jnp.sum(x) for x in layers))\n"
        "x = jnp.ones(3)\n"
        "for _ in range(3):\n"
        "    total([x, x])\n"
        "    total((x, x))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "total = jax.jit(lambda layers: sum(jnp.sum(x) for x in layers))\n"
        "x = jnp.ones(3)\n"
        "for _ in range(3):\n"
        "    total([x, x])\n"
        "    total([x, x])\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """Structure changed. Variants with two programs are left out: objects of two classes, or what a static decides."""
    return flips(group, PAGE, "structure", _remedy, unless=_are_variants)


def _are_variants(one: Explained, change: Change) -> bool:
    if "None" in (change.old, change.new) and any(other.kind == "static" for other in one.cause.changes):
        return one.delta == "structure"  # the static value decides the program, and the array comes with it
    kinds = [text.partition(" with .") for text in (change.old, change.new)]
    return one.delta == "structure" and all(fields for _, _, fields in kinds) and kinds[0][0] != kinds[1][0]


def _remedy(named: str, changes: list[Change]) -> str:
    change = changes[0]
    if "None" in (change.old, change.new):
        if "key<" in change.old + change.new:
            return f"pass a key as {named} at every call, or keep two functions, one for each case"
        return f"pass an array (zeros or ones) instead of None as {named}, or keep two functions, one for each case"
    if "class object" in change.new:
        return f"define the class of {named} once, outside the loop: a class that is made again is another one to JAX"
    if change.old.split(" of ")[0] == change.new.split(" of ")[0] and " of " in change.new:
        return f"give {named} one length: stack its arrays into one and pad it, or make the calls alike"
    return f"pass {named} in one structure at every call ({change.old}); convert it once, before the loop"
