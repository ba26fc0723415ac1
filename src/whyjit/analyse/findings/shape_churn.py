"""An array argument that comes in many shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import bucket, buckets, more, names, shape_of, spread, together
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
    most = max((len(found) for found in by_path.values()), default=0)
    for paths, found in together(by_path):
        some = [one for one, _ in found]
        if len(some) < 2 or len(some) < most or not group.seldom(some):
            continue  # what changes less often goes along with what changes most
        shapes = [found[0][1].old, *(change.new for _, change in found)]
        what, sizes = spread(shapes)
        spared = _spared(found)
        text = f"{names(paths)} came in {what}: {more(some)}"
        yield Finding(
            PAGE.code,
            paths[0],
            text,
            f"{_pad(group, names(paths), shapes, sizes, fewer=bool(spared))}; or drop the ragged rest of the data; or"
            " write into a buffer of the final size",
            saves_s=group.saving(spared or some),
            location=some[0].specialization.call_site,
            ignore=PAGE.ignore,
        )


def _spared(found: list[tuple[Explained, Change]]) -> list[Explained]:
    """The specializations that padding every size to a power of two spares: one for each padded shape stays."""
    seen = {_padded(found[0][1].old)}
    spared = []
    for one, change in found:
        padded = _padded(change.new)
        if padded in seen:
            spared.append(one)
        seen.add(padded)
    return spared


def _padded(text: str) -> tuple[int, ...]:
    return tuple(bucket(size) for size in shape_of(text))


def _pad(group: Group, named: str, shapes: list[str], sizes: list[int], *, fewer: bool) -> str:
    """To what to pad; `fewer` tells that powers of two make fewer programs than the sizes there were."""
    masked = f"before calling `{group.function.name}` and mask the padding"
    if len({len(shape_of(shape)) for shape in shapes}) > 1:
        return f"give {named} one number of dimensions at every call of `{group.function.name}`, and few sizes"
    if not fewer:
        return f"pad {named} to {sizes[-1] if sizes else 'one size'} {masked}"
    if not sizes:
        return f"pad each dimension of {named} to a power of two {masked}"
    fitting = buckets(sizes)
    each = ", with a program for each size" if len(fitting) > 1 else ""
    return f"pad {named} to {', '.join(map(str, fitting))} {masked}{each}"
