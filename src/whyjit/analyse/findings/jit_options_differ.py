"""Two jits of one function with different options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

PAGE = Page(
    code="jit-options-differ",
    title="The function is jitted twice with different options",
    what=(
        "The same function was jitted in two places with different options (donation, compiler options,"
        " shardings), and compiled for both."
    ),
    why="Options of `jax.jit` select another executable for the same program.",
    todo="Jit it once and use that object everywhere.",
    ignore="When both executables are meant and used often.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "def step(x):\n"
        "    return x + 1\n"
        "jax.jit(step)(jnp.ones(3))\n"
        "jax.jit(step, donate_argnums=0)(jnp.ones(3))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "def step(x):\n"
        "    return x + 1\n"
        "jax.jit(step)(jnp.ones(3))\n"
        "jax.jit(step)(jnp.ones(3))\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """Options changed, and the specializations are not all used often."""
    by_path = group.changed("jit_options")
    for path, found in by_path.items():
        some = [one for one, _ in found]
        if not group.seldom(group.explained) or _follows(path, some, by_path):
            continue
        change = found[0][1]
        text = f"`{group.function.name}` is jitted with {path} {change.old} and again with {change.new}: {more(some)}"
        yield Finding(
            PAGE.code,
            path,
            text,
            f"jit `{group.function.name}` once, with the {path} it needs, and use that object at every call",
            saves_s=group.saving(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _follows(path: str, some: list[Explained], by_path: dict[str, list[tuple[Explained, Change]]]) -> bool:
    """Whether JAX has filled an option in from another: it knows `donate_argnames` from `donate_argnums`."""
    positions = by_path.get(path.replace("_argnames", "_argnums"), ()) if path.endswith("_argnames") else ()
    return [one for one, _ in positions] == some
