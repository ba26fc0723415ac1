"""Static values that are equal to a reader and different to JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more
from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change

PAGE = Page(
    code="static-identity",
    title="A static value is equal but not the same to JAX",
    what="A static value looks the same as an earlier one, but JAX compiled anew for it.",
    why=(
        "JAX finds a static value by its hash and equality. Functions, lambdas, partials and plain objects are equal"
        " only to themselves; NaN equals nothing; and 1, 1.0 and True are told apart by type."
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


def find(group: Group) -> Iterator[Finding]:
    """Any later specialization for a static that looks like an earlier one."""
    for path, found in group.changed("static_identity").items():
        some = [one for one, _ in found]
        if not group.seldom(some):
            continue
        change = found[-1][1]
        text = f"`{path}` {change.note or 'is another object'}: {more(some)}, all needless{_latest(change)}"
        yield Finding(
            PAGE.code,
            path,
            text,
            _remedy(path, change),
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _latest(change: Change) -> str:
    return f" (latest: {change.new})" if change.new and change.new not in change.note else ""


def _remedy(path: str, change: Change) -> str:
    if "NaN" in change.note:
        return f"pass something that equals itself instead of NaN as `{path}`, such as None"
    if "by type" in change.note:
        return f"pass `{path}` as one Python type at every call"
    if "__eq__" in change.note:
        return f"make `__eq__` and `__hash__` of `{path}` agree with its fields: a frozen dataclass does"
    return (
        f"make `{path}` once and pass the same object at every call, or give its class equality and hash by value"
        " (a frozen dataclass, a tuple, a module-level function)"
    )
