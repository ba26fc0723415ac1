"""A static argument with ever new values, each another program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import is_object, is_static, may_be_array, metadata_of, more, taken
from whyjit.analyse.findings.static_is_data import changed_alone, is_data
from whyjit.analyse.group import deltas
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

PAGE = Page(
    code="static-churn",
    title="A static argument keeps changing",
    what="A static argument took many values, and each was traced and compiled as a program of its own.",
    why=(
        "Every distinct static value is one more specialization; a counter or a length as a static never stops"
        " making them."
    ),
    todo=(
        "Pass it as an array where the program can take one (`lax.fori_loop`, indexing, masks), or keep its values few."
    ),
    ignore="When the values are a few real variants and each is used many times.",
    before=Example(
        "import functools, jax, jax.numpy as jnp\n"
        "@functools.partial(jax.jit, static_argnames='n')\n"
        "def power(x, n):\n"
        "    for _ in range(n):\n"
        "        x = x * x\n"
        "    return x\n"
        "for n in range(5):\n"
        "    power(jnp.float32(1), n=n)\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def power(x, n):\n"
        "    return jax.lax.fori_loop(0, n, lambda _, x: x * x, x)\n"
        "for n in range(5):\n"
        "    power(jnp.float32(1), n)\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """A static with two or more later values, seldom used, whose programs really differ."""
    for path, found in group.changed("static").items():
        some = [one for one, _ in found]
        if len(some) < 2 or not group.seldom(some):
            continue
        kinds = deltas(some)
        if (
            kinds <= {"identical"}
            or (kinds <= {"literals"} and all(len(one.cause.changes) == 1 for one in some))
            or is_data(group, changed_alone(found))
        ):
            continue  # these have findings of their own
        text = f"{is_static(group, path)} {taken(group, found)}: {more(some)}"
        yield Finding(
            PAGE.code,
            path,
            text,
            _remedy(group, path, found),
            saves_s=group.saving(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _remedy(group: Group, path: str, found: list[tuple[Explained, Change]]) -> str:
    each = f"each one compiles `{group.function.name}` again"
    if deltas(one for one, _ in found) == {"shapes"} and all(change.old == change.new for _, change in found):
        return f"keep the sizes of the arrays that `{path}` holds few, by padding: {each}"
    if metadata_of(group, path) is None and all(is_object(change.new) for _, change in found):
        return f"make each such object once, and keep them few: {each}"
    if not any(may_be_array(change) for _, change in found):
        return f"keep the values of `{path}` few, and write each of them in one way: {each}"
    inside = "what changes in " if all(change.note for _, change in found) else ""
    what = f"what changes in the metadata of `{path}`" if metadata_of(group, path) == path else f"{inside}`{path}`"
    return (
        f"pass {what} as an array where the program can take one (`lax.fori_loop`, indexing, a mask), or keep its"
        f" values few: {each}"
    )
