"""Static values that are equal to a reader and different to JAX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more, names, together
from whyjit.analyse.group import deltas, seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

PAGE = Page(
    code="static-identity",
    title="A static value is equal but not the same to JAX",
    what="A static value looks the same as an earlier one, but JAX compiled anew for it.",
    why=(
        "JAX finds a static value by its hash and equality. Functions, lambdas, partials and plain objects are equal"
        " only to themselves; NaN equals nothing; and 1, 1.0 and True are told apart by type. Conversely -0.0 equals"
        " 0.0: a call with the one silently runs the program traced with the other, and 1/x of it has the wrong sign."
    ),
    todo=(
        "Make the object once and reuse it, or give it equality and hash by value: a frozen dataclass, a tuple, a"
        " module-level function. Normalise numbers to one type."
    ),
    ignore="When the object is made once in the whole run.",
    before=Example(
        "import functools, jax, jax.numpy as jnp\n"
        "@functools.partial(jax.jit, static_argnames='kernel')\n"
        "def gram(x, kernel):\n"
        "    return kernel(x)\n"
        "for _ in range(3):\n"
        "    gram(jnp.ones(3), kernel=lambda x: x * 2)\n"
    ),
    after=Example(
        "import functools, jax, jax.numpy as jnp\n"
        "@functools.partial(jax.jit, static_argnames='kernel')\n"
        "def gram(x, kernel):\n"
        "    return kernel(x)\n"
        "def double(x):\n"
        "    return x * 2\n"
        "for _ in range(3):\n"
        "    gram(jnp.ones(3), kernel=double)\n",
        shows=False,
    ),
)


_INNER = re.compile(r"`([^`]+)` in it \(a ([^)]+)\) is compared by identity")
_FUNCTIONS = frozenset({"function", "method", "functools.partial", "jitted function"})
_A_FUNCTION = ("<function ", "<jitted ", "<method ", "<custom_", "partial(")
_NUMBER = re.compile(r"-?0\.0")
_IGNORE_SIGN = "When the sign of zero decides nothing in this function."


def find(group: Group) -> Iterator[Finding]:
    """Any later specialization for a static that looks like an earlier one."""
    yield from _taken_for_same(group)
    for paths, found in together(group.changed("static_identity")):
        some = [one for one, _ in found]
        if not group.seldom(some):
            continue
        change = found[-1][1]
        also = _changed_too(some, paths)
        with_it = f", and {names(also)} changed with {'it' if len(paths) == 1 else 'them'}" if also else ""
        needless = ", all needless" if deltas(some) == {"identical"} else ""
        what = change.note or "is another object"
        if len(paths) > 1 and what.startswith("looks the same, but"):
            what = "look the same, but are compared by identity and are other objects"
        text = f"{names(paths)} {what}{with_it}: {more(some)}{needless}{_latest(change)}"
        yield Finding(
            PAGE.code,
            paths[0],
            text,
            _remedy(group, [*paths, *also], change),
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _taken_for_same(group: Group) -> Iterator[Finding]:
    """The converse: static values that differ and are one to JAX, so that a call runs the other's program."""
    for read in group.stale:
        if read.kind != "static":
            continue
        calls = f"{read.calls_since} call{'s' if read.calls_since > 1 else ''}"
        text = (
            f"`{read.path}` was {read.old} when the program was traced and {read.new} at {calls} that used this"
            " program: they are equal, so JAX takes them for the same, and no error says so"
        )
        number = _NUMBER.fullmatch(read.new)
        alike = f": `{read.path} + 0.0`" if number else ", by adding 0.0 to each"
        what = f"`{read.path}` as an ordinary argument" if number else f"the numbers in `{read.path}` as arrays"
        remedy = f"pass {what}, or give zero one sign before the call{alike}"
        yield Finding(PAGE.code, read.path, text, remedy, location=read.location, ignore=_IGNORE_SIGN, wrong=True)


def _changed_too(some: list[Explained], paths: list[str]) -> list[str]:
    """Other statics that changed in every one of these specializations: mending one of them alone mends nothing."""
    sets = [{c.path for c in one.cause.changes if c.kind in ("static", "static_identity") and c.path} for one in some]
    common = set.intersection(*sets) - set(paths)
    return [c.path for c in some[-1].cause.changes if c.path in common and c.path is not None]


def _latest(change: Change) -> str:
    """The object's text, where it is short enough to say something."""
    return f" (latest: {change.new})" if change.new and change.new not in change.note and len(change.new) <= 80 else ""


def _remedy(group: Group, paths: list[str], change: Change) -> str:
    named = names(paths)
    if "NaN" in change.note:
        return f"pass something that equals itself instead of NaN as {named}, such as None"
    if "by type" in change.note:
        return f"pass {named} as one Python type at every call"
    if group.function.origin == "library":
        return (
            f"{named} is made by the library that calls `{group.function.name}`: make what you call on this line once"
        )
    if "arrays" in change.note or "array contents" in change.note:
        return (
            f"pass the arrays in {named} as ordinary arguments, or make it once and pass the same object at every call"
        )
    if "__eq__" in change.note:
        return f"make `__eq__` and `__hash__` of {named} agree with its fields: a frozen dataclass does"
    once = f"make {named} once and pass the same object at every call"
    if len(paths) > 1:
        return f"make {named} once and pass the same objects at every call: mending one of them alone mends nothing"
    inner = _INNER.search(change.note)
    if "in it (functions) are compared" in change.note:
        return f"{once}: the functions in it equal only themselves"
    if inner is None and change.new.startswith(_A_FUNCTION):
        return f"{once}: a function equals only itself, as do a lambda, a partial and a method of another object"
    if inner is None:
        by_value = "a frozen dataclass, a tuple, a module-level function"
        return f"{once}, or give its class equality and hash by value ({by_value})"
    if inner[2] in _FUNCTIONS:
        return f"{once}, or make `{inner[1]}` in it once: a module-level function is the same object at every call"
    return f"{once}, or give `{inner[2]}` equality and hash by value: a frozen dataclass has them"
