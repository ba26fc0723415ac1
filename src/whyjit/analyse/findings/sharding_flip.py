"""An argument that lies in several places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._flip import flips
from whyjit.analyse.page import Example, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Finding

PAGE = Page(
    code="sharding-flip",
    title="An argument lies in several places",
    what=(
        "An argument was placed differently in some calls (committed to a device, another sharding, another"
        " memory), and the executable was made again, often without a trace."
    ),
    why=(
        "Executables are made for the devices and shardings of their inputs; JAX's own logs say nothing when"
        " only that changes."
    ),
    todo=(
        "Place the data once, before the first call, as all later calls have it (`jax.device_put` with the"
        " same sharding)."
    ),
    ignore="When the function is really used on several placements, each often.",
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "double = jax.jit(lambda x: x * 2)\n"
        "x = jnp.ones(3)\n"
        "double(x)\n"
        "double(x)\n"
        "double(jax.device_put(x, jax.devices()[0]))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "double = jax.jit(lambda x: x * 2)\n"
        "x = jax.device_put(jnp.ones(3), jax.devices()[0])\n"
        "double(x)\n"
        "double(x)\n"
        "double(x)\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """Placement changed, and the specializations are not all used often."""
    if group.seldom(group.explained):
        yield from flips(group, PAGE, "sharding", _remedy)


def _remedy(named: str, changes: list[Change]) -> str:
    if len({change.new for change in changes}) > 1:
        return f"place {named} in one way before every call: `jax.device_put` with one device or one sharding"
    return f"place {named} once, before the first call, as later calls have it: `jax.device_put` ({changes[0].new})"
