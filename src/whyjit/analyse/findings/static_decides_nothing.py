"""A static value that has no influence on the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import holds_function, is_static, may_be_array, metadata_of, more
from whyjit.analyse.findings.static_is_data import changed_alone
from whyjit.analyse.group import seconds, several
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change

PAGE = Page(
    code="static-decides-nothing",
    title="A static value decides nothing",
    what=(
        "A static argument, or static metadata inside one, changed and the function was compiled anew to the"
        " identical program."
    ),
    why="JAX compares static values without knowing whether the program depends on them.",
    todo="Take the value out of the jitted call: leave it out of the arguments, or of the pytree's static fields.",
    ignore="Where it takes a value or two in the whole run, and its place in the signature is worth the compiles.",
    before=Example(
        "import functools, jax, jax.numpy as jnp\n"
        "@functools.partial(jax.jit, static_argnames='tag')\n"
        "def evaluate(x, tag):\n"
        "    return jnp.sum(x)\n"
        "for epoch in range(4):\n"
        "    evaluate(jnp.ones(3), tag=f'epoch-{epoch}')\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def evaluate(x):\n"
        "    return jnp.sum(x)\n"
        "for epoch in range(4):\n"
        "    evaluate(jnp.ones(3))\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """A static that changed alone and left the program identical, every time it changed alone."""
    for path, found in group.changed("static").items():
        some = changed_alone(found)
        if not some or any(one.delta != "identical" for one in some):
            continue
        values = several([change.new for _, change in found])
        text = (
            f"{is_static(group, path)} changed (to {values}), but the program is identical: {more(some)}, all needless"
        )
        remedy = _remedy(group, path, [change for _, change in found])
        yield Finding(
            PAGE.code,
            path,
            text,
            remedy,
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _remedy(group: Group, path: str, changes: list[Change]) -> str:
    name = group.function.name
    if any(holds_function(change.new) for change in changes):
        if group.function.origin == "library":
            return f"`{path}` is made by the library that calls `{name}`: make what you call on this line once"
        return f"pass one and the same object as `{path}` at every call of `{name}`: all of these make one program"
    node = metadata_of(group, path)
    if node is None and _spellings(group, path):
        return f"write `{path}` in one way at every call of `{name}`: these values make one program"
    if node is None:
        return f"keep `{path}` out of the call of `{name}`: nothing in its program depends on it"
    what = f"what changes in the metadata of `{path}`" if node == path else f"`{path}`"
    if not any(map(may_be_array, changes)):  # no name can be a leaf
        return f"keep {what} out of `{node}`: nothing in the program of `{name}` depends on it"
    return (
        f"make {what} a leaf (an array), or keep it out of `{node}`: nothing in the program of `{name}` depends on it"
    )


def _spellings(group: Group, path: str) -> bool:
    """Whether the values may be one thing written in several ways: of several types, or an index from either end."""
    given = [
        static for one in group.explained for static in one.specialization.signature.statics if static.path == path
    ]
    numbers = [static.text for static in given if static.type == "int"]
    return len({static.type for static in given}) > 1 or len({text.startswith("-") for text in numbers}) > 1
