"""A static argument whose value only becomes a number in the program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whyjit.analyse.delta import CONSTANTS_UNREAD
from whyjit.analyse.findings._words import is_static, more, taken
from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

PAGE = Page(
    code="static-is-data",
    title="A static argument is data",
    what=(
        "Each new value of a static argument was compiled anew, and the programs differ only in a number"
        " written into them."
    ),
    why=(
        "A static value decides the program; where the program is the same but for a literal, the value"
        " decides nothing else."
    ),
    todo=(
        "Take it out of `static_argnames`/`static_argnums` and pass it as it is: JAX traces a Python number as a value."
    ),
    ignore="When it takes a handful of values in the whole run and XLA's constant folding matters.",
    before=Example(
        "import functools, jax, jax.numpy as jnp\n"
        "@functools.partial(jax.jit, static_argnames='rate')\n"
        "def step(w, rate):\n"
        "    return w - rate * w\n"
        "w = jnp.ones(3)\n"
        "for k in range(5):\n"
        "    w = step(w, rate=0.1 / (k + 1))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def step(w, rate):\n"
        "    return w - rate * w\n"
        "w = jnp.ones(3)\n"
        "for k in range(5):\n"
        "    w = step(w, rate=0.1 / (k + 1))\n",
        shows=False,
    ),
)
# From this many values on, needless specializations are worth a word however often each is used.
_MANY = 4
_NUMBER = re.compile(r"-?\d[\d.]*(e[+-]?\d+)?|True|False|\w+\(-?\d[\d.]*(e[+-]?\d+)?\)")


def find(group: Group) -> Iterator[Finding]:
    """A static with two or more later values, all of them the same program but for literals."""
    for path, found in group.changed("static").items():
        some = changed_alone(found)
        if not is_data(group, some):
            continue
        text = (
            f"{is_static(group, path)} {taken(group, found)}; the program is the same but for a literal: {more(some)}"
        )
        yield Finding(
            PAGE.code,
            path,
            text,
            _remedy(group, path, [change.new for _, change in found]),
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def changed_alone(found: Iterable[tuple[Explained, Change]]) -> list[Explained]:
    """The specializations in which nothing else changed."""
    return [one for one, _ in found if len({change.path for change in one.cause.changes}) == 1]


def is_data(group: Group, some: list[Explained]) -> bool:
    """Whether specializations for new values of one static are all the same program but for literals."""
    literal = [one for one in some if one.delta == "literals" and one.delta_note != CONSTANTS_UNREAD]
    return len(literal) >= 2 and len(literal) == len(some) and (len(some) >= _MANY or group.seldom(some))


def _remedy(group: Group, path: str, values: list[str]) -> str:
    signature = group.explained[0].specialization.signature
    options = dict(signature.options)
    numbers = all(_NUMBER.fullmatch(value) for value in values)
    given = (static.path for one in group.explained for static in one.specialization.signature.statics)
    if numbers and path in given:
        names = options.get("static_argnames", "")
        if names and path not in re.findall(r"\w+", names):  # a wrapper decides leaf by leaf
            return f"make `{path}` an array (`jnp.asarray(...)`): what is no array is static to this jit"
        name = group.function.name
        return f"pass `{path}` as an ordinary argument: remove it from the static arguments of `{name}`"
    return f"pass the numbers in `{path}` as arrays: make them leaves of a pytree or arguments of their own"
