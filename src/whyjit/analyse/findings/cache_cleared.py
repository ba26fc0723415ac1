"""Programs made again after JAX's caches were cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more
from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group

PAGE = Page(
    code="cache-cleared",
    title="Caches were cleared and filled again",
    what="A call with the very same key was traced and compiled again, because what JAX had kept for it was gone.",
    why="`jax.clear_caches()` and `f.clear_cache()` drop programs and executables; a full cache evicts the oldest.",
    todo="Do not clear what will be used again; clear one function, or at the end.",
    ignore="When memory is so tight that it must be freed between phases.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "double = jax.jit(lambda x: x * 2)\n"
        "for _ in range(3):\n"
        "    double(jnp.ones(3))\n"
        "    jax.clear_caches()\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "double = jax.jit(lambda x: x * 2)\n"
        "for _ in range(3):\n"
        "    double(jnp.ones(3))\n"
        "jax.clear_caches()\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """Any specialization that was made again for the same key."""
    some = [one for one in group.later if one.cause.kind == "cleared"]
    if some:
        text = f"made again for the same key after JAX's caches were cleared, or the program was evicted: {more(some)}"
        yield Finding(
            PAGE.code,
            None,
            text,
            f"clear caches only when `{group.function.name}` will not be called again",
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )
