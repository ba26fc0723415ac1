"""A large array that is part of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group

PAGE = Page(
    code="baked-constant",
    title="A large array is baked into the program",
    what="The function closes over a large array, which became a constant of the program.",
    why=(
        "What a jitted function reads from outside is a constant: it is copied, hashed and may be folded at"
        " compile time, and kept as long as the program."
    ),
    todo="Pass the array as an argument.",
    ignore="For small tables; closing over those is good style.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "table = jnp.ones((1024, 512))\n"
        "@jax.jit\n"
        "def embed(i):\n"
        "    return table[i]\n"
        "embed(jnp.int32(3))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "table = jnp.ones((1024, 512))\n"
        "@jax.jit\n"
        "def embed(table, i):\n"
        "    return table[i]\n"
        "embed(table, jnp.int32(3))\n",
        shows=False,
    ),
)
LARGE = 256 * 1024
_MIB = 1024 * 1024


def find(group: Group) -> Iterator[Finding]:
    """Constants of at least 256 KiB, named where the captured variable is known."""
    if group.function.origin == "eager":
        return
    seen: set[tuple[str, str]] = set()
    for one in group.explained:
        for constant in one.specialization.constants:
            if constant.nbytes < LARGE or (constant.name, constant.aval) in seen:
                continue
            seen.add((constant.name, constant.aval))
            name = f"`{constant.name}`" if constant.name else "an array"
            text = f"{name}, {constant.aval} of {constant.nbytes / _MIB:.3g} MiB, is a constant of the program"
            remedy = f"pass {name if constant.name else 'it'} as an argument of `{group.function.name}`"
            yield Finding(
                PAGE.code,
                constant.name or None,
                text,
                remedy,
                location=one.specialization.call_site,
                ignore=PAGE.ignore,
            )
