"""An argument that comes in several dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._flip import flips
from whyjit.analyse.findings._words import dtype_of, element
from whyjit.analyse.page import Example, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained, Finding

PAGE = Page(
    code="dtype-flip",
    title="An argument comes in several dtypes",
    what="An argument had one dtype in some calls and another in others, and each was compiled.",
    why="The dtype is part of the program.",
    todo="Convert once at the boundary, where the data is loaded or the state is made.",
    ignore="When both precisions are meant and used often.",
    before=Example(
        "import jax, jax.numpy as jnp, numpy as np\n"
        "total = jax.jit(lambda x: jnp.sum(x))\n"
        "for kind in (np.int32, np.float32, np.int32, np.float32):\n"
        "    total(np.ones(3, kind))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp, numpy as np\n"
        "total = jax.jit(lambda x: jnp.sum(x))\n"
        "for kind in (np.int32, np.float32, np.int32, np.float32):\n"
        "    total(np.ones(3, kind).astype(np.float32))\n",
        shows=False,
    ),
)
_KINDS = (("bool",), ("int", "uint"), ("float", "bfloat"), ("complex",))


def find(group: Group) -> Iterator[Finding]:
    """Dtype changed."""
    return flips(group, PAGE, "dtype", _remedy, unless=_follows_from_x64, word=element)


def _follows_from_x64(one: Explained, change: Change) -> bool:
    """Whether only the width changed, because 64-bit types were switched on or off."""
    switched = any(other.path == "jax_enable_x64" for other in one.cause.changes)
    return switched and dtype_of(change.old).rstrip("0123456789") == dtype_of(change.new).rstrip("0123456789")


def _remedy(named: str, changes: list[Change]) -> str:
    if any("key<" in change.old + change.new for change in changes):
        return f"make {named} in one way everywhere: `jax.random.key` with the same implementation"
    return f"convert {named} once, where it is made or loaded, so that every call gets {_widest(changes)}"


def _widest(changes: list[Change]) -> str:
    """The dtype that can hold the others' kind of number; of one kind, the one that came first."""
    dtypes = [dtype_of(text) for change in changes for text in (change.old, change.new)]
    return max(dtypes, key=_rank)


def _rank(dtype: str) -> int:
    kind = dtype.rstrip("0123456789")
    return next((rank for rank, kinds in enumerate(_KINDS) if kind in kinds), 0)
