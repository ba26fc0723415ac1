"""A static value that has no influence on the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more
from whyjit.analyse.group import seconds, several
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group

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
        some = [one for one, _ in found if len(one.cause.changes) == 1]
        if not some or any(one.delta != "identical" for one in some):
            continue
        values = several([change.new for _, change in found])
        text = f"`{path}` is static and changed (to {values}), but the program is identical: {more(some)}, all needless"
        remedy = f"keep `{path}` out of the call of `{group.function.name}`: nothing in its program depends on it"
        yield Finding(
            PAGE.code,
            path,
            text,
            remedy,
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )
