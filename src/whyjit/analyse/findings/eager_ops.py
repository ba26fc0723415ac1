"""Operations compiled one by one, outside any jit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from whyjit.analyse.findings.eager_control_flow import LOOPS
from whyjit.analyse.group import seconds, several
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Explained

PAGE = Page(
    code="eager-ops",
    title="Operations are compiled one by one",
    what=(
        "A line called JAX's operations outside any jit, and each was compiled as a program of its own, for"
        " each shape anew."
    ),
    why="Outside a jit every `jnp` operation is a small jitted function.",
    todo=(
        "Put the lines into one function and jit it, with padded shapes; or use NumPy where nothing is gained"
        " on the device."
    ),
    ignore="For set-up code that runs once.",
    before=Example(
        "import jax.numpy as jnp, numpy as np\nfor length in range(3, 9):\n    jnp.tanh(np.ones(length, np.float32))\n"
    ),
    after=Example(
        "import jax.numpy as jnp, numpy as np\nfor length in range(3, 9):\n    jnp.tanh(np.ones(16, np.float32))\n",
        shows=False,
    ),
)
_SAME = 3
_LINE = 4


def find(group: Group) -> Iterator[Finding]:
    """A line at which one operation was compiled several times, or several operations were."""
    if group.function.origin != "eager":
        return
    some = [one for one in group.explained if _compiled(one) and not _control_flow(group, one)]
    counts = Counter(one.specialization.operation for one in some)
    if not counts or (max(counts.values()) < _SAME and len(some) < _LINE):
        return
    names = several([f"{name} {times}x" for name, times in counts.most_common()])
    where = f"in `{group.function.qualname}`" if group.function.qualname else ""
    text = f"{len(some)} operations were compiled one by one at this line {where} ({names}): {seconds(some):.2g} s"
    yield Finding(
        PAGE.code,
        None,
        text,
        _remedy(group),
        saves_s=seconds(some),
        location=some[0].specialization.call_site,
        ignore=PAGE.ignore,
    )


def _compiled(one: Explained) -> bool:
    return any(stage.kind == "compile" for stage in one.specialization.stages)


def _control_flow(group: Group, one: Explained) -> bool:
    """Whether it is a loop or branch that `eager-control-flow` speaks of: its bodies were traced more than once."""
    return one.specialization.operation in LOOPS and any(times > 1 for _, times in group.function.bodies)


def _remedy(group: Group) -> str:
    inside = group.function.qualname
    named = inside and inside != "<module>"
    what = f"put `jax.jit` on `{inside}`" if named else "put the lines into a function and jit it"
    return f"{what}, with arrays padded to few sizes; or use NumPy where nothing is gained on the device"
