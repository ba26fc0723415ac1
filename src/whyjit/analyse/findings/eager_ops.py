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
    library, all_of_it = _library(some)
    inside = group.function.qualname
    where = f" in `{inside}`" if inside and inside != "<module>" else ""
    where += f", {'all' if all_of_it else 'most'} of them inside {library}" if library else ""
    spent = [seconds([one]) for one in some]
    text = f"{len(some)} operations were compiled one by one at this line{where} ({names}): {sum(spent):.2g} s"
    yield Finding(
        PAGE.code,
        None,
        text,
        _remedy(group, library),
        saves_s=sum(spent) - max(spent),  # jitted, or padded, they would still be compiled once
        location=some[0].specialization.call_site,
        ignore=PAGE.ignore,
    )


def _compiled(one: Explained) -> bool:
    return any(stage.kind == "compile" for stage in one.specialization.stages)


def _control_flow(group: Group, one: Explained) -> bool:
    """Whether it is a loop or branch that `eager-control-flow` speaks of: its bodies were traced more than once."""
    return one.specialization.operation in LOOPS and any(times > 1 for _, times in group.function.bodies)


def _library(some: list[Explained]) -> tuple[str, bool]:
    """The library's function in which most of them were done, called by the user's line, and whether all were."""
    marks = Counter(mark[3:] for one in some for mark in one.specialization.notes if mark.startswith("by "))
    if not marks:
        return "", False
    (name, times), *_ = marks.most_common(1)
    package, _, function = name.partition("'s ")
    return (f"{package}'s `{function}`", times == len(some)) if 2 * times > len(some) else ("", False)


def _remedy(group: Group, library: str) -> str:
    inside = group.function.qualname
    if library:
        return (
            f"call {library} from a jitted function, if it can be traced, or with few different sizes; set-up that"
            " runs once may stay as it is"
        )
    if not inside or inside == "<module>":
        what = "put the lines into a function and jit it"
    elif inside.endswith(("__init__", "__call__")):  # called by way of its class
        what = f"call `{inside}` from a jitted function"
    else:
        what = f"put `jax.jit` on `{inside}`"
    return f"{what}, with arrays padded to few sizes; or use NumPy where nothing is gained on the device"
