"""A function called in several forms."""

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
    code="call-form-flip",
    title="The same call is written in several forms",
    what=(
        "An argument was passed by position in some calls and by keyword in others, or left at its default and"
        " given, and each form was compiled."
    ),
    why=(
        "JAX keys on the call as it is written: keywords are flattened by name, and a default is a constant of"
        " the program."
    ),
    todo="Write the call in one form everywhere, or wrap it in a small function that does.",
    ignore="When one form is used once.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "blend = jax.jit(lambda a, b: a + b)\n"
        "x = jnp.ones(3)\n"
        "blend(x, x)\n"
        "blend(x, b=x)\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "blend = jax.jit(lambda a, b: a + b)\n"
        "x = jnp.ones(3)\n"
        "blend(x, x)\n"
        "blend(x, x)\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """The form changed and nothing else; where the programs differ, the variants must be used seldom."""
    some = [one for one in group.later if one.cause.changes and all(c.kind == "call_form" for c in one.cause.changes)]
    some = [one for one in some if one.delta == "identical" or group.seldom(group.explained)]
    if not some:
        return
    changes = [change for one in some for change in one.cause.changes]
    names = list(dict.fromkeys(change.path for change in changes if change.path))
    path = names[0]
    text = (
        f"`{'`, `'.join(names)}` {_was(changes[0].old)} in one place and {_was(changes[0].new)} in another:"
        f" {more(some)}"
    )
    once = "always give" if "left out" in (changes[0].old, changes[0].new) else f"always pass as {changes[0].old}"
    yield Finding(
        PAGE.code,
        path,
        text,
        f"write every call of `{group.function.name}` in one form: {once} `{'`, `'.join(names)}`",
        saves_s=seconds(some),
        location=some[0].specialization.call_site,
        ignore=PAGE.ignore,
    )


def _was(form: str) -> str:
    return "is left out" if form == "left out" else f"is passed as {form}"
