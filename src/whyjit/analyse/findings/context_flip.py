"""A function called under several configurations of JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group

PAGE = Page(
    code="context-flip",
    title="JAX's configuration changes between calls",
    what="The function was called under another configuration or context manager, and compiled again.",
    why=(
        "Settings such as x64, matmul precision, the default device, rank promotion and the mesh are part of every key."
    ),
    todo="Set it once, before the first call, or keep the context manager around all calls.",
    ignore="When both settings are meant and used often.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "project = jax.jit(lambda x: x @ x)\n"
        "x = jnp.ones((3, 3))\n"
        "project(x)\n"
        "with jax.default_matmul_precision('float32'):\n"
        "    project(x)\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "project = jax.jit(lambda x: x @ x)\n"
        "x = jnp.ones((3, 3))\n"
        "with jax.default_matmul_precision('float32'):\n"
        "    project(x)\n"
        "    project(x)\n",
        shows=False,
    ),
)


# A function under `vmap` or `grad` is another program, and no setting to set once.
_TRANSFORMATIONS = ("transformation", "axis_env_state")


def find(group: Group) -> Iterator[Finding]:
    """A setting changed between calls that are not many."""
    for path, found in group.changed("context").items():
        some = [one for one, _ in found]
        if path in _TRANSFORMATIONS or not (
            all(one.delta == "identical" for one in some) or group.seldom(group.explained)
        ):
            continue
        change = found[0][1]
        same = ", and the program is identical" if all(one.delta == "identical" for one in some) else ""
        text = f"{path} changed from {change.old} to {change.new} between calls{same}: {more(some)}"
        yield Finding(
            PAGE.code,
            path,
            text,
            _remedy(group, path),
            saves_s=group.saving(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _remedy(group: Group, path: str) -> str:
    first = f"before the first call of `{group.function.name}`"
    if "mesh" in path:
        return f"enter the mesh once, {first}, or make all its calls under one mesh"
    return f"set {path} once, {first}, or make all its calls under one value"
