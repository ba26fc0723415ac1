"""A function called in several forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.difference import LEFT_OUT
from whyjit.analyse.findings._words import more
from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

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
    todo=(
        "Write the call in one form everywhere, or wrap it in a small function that does. An argument that is an array"
        " in some calls and left out in others has two programs: give it an array always, or keep two functions."
    ),
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
    alike: dict[str, list[Explained]] = {}
    for one in some:
        alike.setdefault(_manner(one), []).append(one)
    for manner, found in alike.items():
        changes = [change for one in found for change in one.cause.changes]
        paths = list(dict.fromkeys(change.path for change in changes if change.path))
        yield Finding(
            PAGE.code,
            paths[0],
            f"`{'`, `'.join(paths)}` {_forms(changes, several=len(paths) > 1)}: {more(found)}",
            _remedy(group, manner, f"`{'`, `'.join(paths)}`", changes[0]),
            saves_s=seconds(found),
            location=found[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _manner(one: Explained) -> str:
    """What about the form changed.

    An argument that is an array in one call and left out in another makes two programs, whatever its default is: JAX
    never sees a default, and None stays None when it is written out.
    """
    left_out = [change for change in one.cause.changes if LEFT_OUT in (change.old, change.new)]
    if not left_out:
        return "form"
    if any("[" in str(change.path) for change in left_out):
        return "keywords"
    return "given" if one.delta == "identical" else "array"


def _remedy(group: Group, manner: str, named: str, change: Change) -> str:
    name = group.function.name
    if manner == "array":
        return (
            f"give {named} an array or a number at every call of `{name}`, and never None; or keep two functions,"
            " one for each case"
        )
    if manner == "keywords":
        return f"pass the same keywords at every call of `{name}`: give {named} always, or never"
    once = "always give" if manner == "given" else f"always pass as {change.old}"
    return f"write every call of `{name}` in one form: {once} {named}"


def _forms(changes: list[Change], *, several: bool) -> str:
    verb = "are" if several else "is"
    forms = {(change.old, change.new) for change in changes}
    if len(forms) == 1:
        return f"{_was(changes[0].old, verb)} in one place and {_was(changes[0].new, verb)} in another"
    if any(LEFT_OUT in pair for pair in forms):
        return f"{verb} left out in some places and given in others"
    return f"{verb} passed as positional in some places and as keyword in others"


def _was(form: str, verb: str) -> str:
    return f"{verb} left out" if form == LEFT_OUT else f"{verb} passed as {form}"
