"""An array argument that comes in many shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

PAGE = Page(
    code="shape-churn",
    title="An argument comes in many shapes",
    what="The same argument was passed with several shapes, and each new shape was traced, lowered and compiled.",
    why="The shape of an array is part of the program that XLA compiles: another size is another program.",
    todo=(
        "Pad to one size, or to a few bucket sizes, and mask what is padding; drop the ragged remainder of the data; or"
        " allocate a buffer of the final size and write into it."
    ),
    ignore="When the sizes are few and each is used many times.",
    before=Example(
        "import jax, jax.numpy as jnp, numpy as np\n"
        "total = jax.jit(lambda x: jnp.sum(x))\n"
        "for length in range(3, 9):\n"
        "    total(np.ones(length, np.float32))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp, numpy as np\n"
        "total = jax.jit(lambda x, n: jnp.sum(jnp.where(jnp.arange(x.shape[0]) < n, x, 0)))\n"
        "for length in range(3, 9):\n"
        "    total(np.ones(16, np.float32), np.int32(length))\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """Two or more later specializations for new shapes of one leaf, none of them used often."""
    by_path = group.changed("shape")
    leading = _leading(by_path)
    for path, found in by_path.items():
        some = [one for one, _ in found]
        if len(some) < 2 or not group.seldom(some) or (leading and path not in leading):
            continue
        sizes = _sizes([change for _, change in found])
        text = f"`{path}` came in {len(sizes)} shapes ({_spread(sizes)}): {len(some)} later specializations, {seconds(some):.2g} s"
        yield Finding(
            PAGE.code,
            path,
            text,
            PAGE.todo,
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _leading(by_path: dict[str, list[tuple[Explained, Change]]]) -> set[str]:
    """Where several leaves always change together (a batch and its labels), the paths that change most often."""
    most = max((len(found) for found in by_path.values()), default=0)
    return {path for path, found in by_path.items() if len(found) == most}


def _sizes(changes: list[Change]) -> list[str]:
    return list(dict.fromkeys([changes[0].old, *(change.new for change in changes)]))


def _spread(sizes: list[str]) -> str:
    """The first and last of the shapes, or all where they are few."""
    return ", ".join(sizes) if len(sizes) <= 4 else f"{sizes[0]}, {sizes[1]}, ... {sizes[-1]}"
