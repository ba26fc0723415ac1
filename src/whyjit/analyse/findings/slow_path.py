"""A function that never reaches the fast path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group

PAGE = Page(
    code="slow-path",
    title="Every call goes through Python",
    what=(
        "No call of the function took JAX's C++ fast path: each went through Python, although nothing was"
        " traced or compiled."
    ),
    why="A debug print or another callback to the host, ordered or not, keeps a program off the fast path.",
    todo="Take the callback out of the hot loop: return the value and print it outside, or every k-th step.",
    ignore="While you are debugging, or when a call takes long anyway.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def step(x):\n"
        "    jax.debug.print('{}', x[0])\n"
        "    return x + 1\n"
        "x = jnp.ones(3)\n"
        "for _ in range(5):\n"
        "    x = step(x)\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def step(x):\n"
        "    return x + 1\n"
        "x = jnp.ones(3)\n"
        "for _ in range(5):\n"
        "    x = step(x)\n"
        "print(x[0])\n",
        shows=False,
    ),
)
_CALLS = 3


def find(group: Group) -> Iterator[Finding]:
    """A specialization with effects, all of whose calls missed the fast path."""
    for one in group.explained:
        spec = one.specialization
        if spec.slow_path and spec.calls >= _CALLS and spec.misses == spec.calls:
            text = (
                f"all {spec.calls} calls of specialization {spec.number} went through Python, because of an"
                f" effect in it: {spec.slow_path}"
            )
            yield Finding(PAGE.code, None, text, _remedy(group), location=spec.call_site, ignore=PAGE.ignore)
            return


def _remedy(group: Group) -> str:
    return (
        f"take the callback out of `{group.function.name}`: return the value and print it outside, every k-th call; or"
        " keep a second, plain version for the hot loop"
    )
