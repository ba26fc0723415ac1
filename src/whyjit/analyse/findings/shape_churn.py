"""An array argument that comes in many shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import buckets, more, names, spread, together
from whyjit.analyse.group import saving
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group

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
    most = max((len(found) for found in by_path.values()), default=0)
    for paths, found in together(by_path):
        some = [one for one, _ in found]
        if len(some) < 2 or len(some) < most or not group.seldom(some):
            continue  # what changes less often goes along with what changes most
        what, sizes = spread([found[0][1].old, *(change.new for _, change in found)])
        text = f"{names(paths)} came in {what}: {more(some)}"
        yield Finding(
            PAGE.code,
            paths[0],
            text,
            _remedy(group, paths, sizes),
            saves_s=saving(some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _remedy(group: Group, paths: list[str], sizes: list[int]) -> str:
    fitting = buckets(sizes)
    to = f"to {', '.join(map(str, fitting))}" if fitting and len(fitting) < len(sizes) else "to one size or a few"
    return (
        f"pad {names(paths)} {to} before calling `{group.function.name}` and mask the padding; or drop the ragged rest"
        " of the data; or write into a buffer of the final size"
    )
