"""Operations compiled one by one, outside any jit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import named, to_jit
from whyjit.analyse.findings.eager_control_flow import LOOPS
from whyjit.analyse.group import seconds, several
from whyjit.analyse.page import Example, Page
from whyjit.model.durations import duration
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
    again = bool(counts) and max(counts.values()) >= _SAME
    if not counts or (not again and len(some) < _LINE):
        return
    names = several([f"{name} {times}x" for name, times in counts.most_common()])
    spent = [seconds([one]) for one in some]
    text = f"{len(some)} operations were compiled one by one at this line{_where(group, some)} ({names}):"
    text += f" {duration(sum(spent))}"
    yield Finding(
        PAGE.code,
        None,
        text,
        _remedy(group, some, again=again),
        saves_s=_saved(some, churn=again and not _library(some)[0]),
        location=some[0].specialization.call_site,
        ignore=PAGE.ignore,
    )


def _saved(some: list[Explained], *, churn: bool) -> float:
    """Seconds that one program in place of all of them surely spares.

    Each compile costs at least what the cheapest of them did, whatever it compiles; what the others cost beyond that
    is their own work, and stays. Where one operation was compiled again and again (`churn`), as for ever new sizes,
    padding leaves one of each. NumPy compiles nothing.
    """
    spent = [seconds([one]) for one in some]
    if _wants_numpy(some):
        return sum(spent)
    if not churn:
        return (len(spent) - 1) * min(spent)
    by_name: dict[str, list[float]] = {}
    for one, cost in zip(some, spent, strict=True):
        by_name.setdefault(one.specialization.operation, []).append(cost)
    return sum(sum(costs) - max(costs) for costs in by_name.values()) + (len(by_name) - 1) * min(spent)


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
    private = any(part.startswith("_") and not part.startswith("__") for part in function.split("."))
    told = package if private else f"{package}'s `{function}`"  # what is private was not called by that name
    return (told, times == len(some)) if 2 * times > len(some) else ("", False)


def _where(group: Group, some: list[Explained]) -> str:
    inside = named(group.function.qualname)
    where = f" in `{inside}`" if inside else ""
    if _all("in a callback", some):
        where += ", which is called back by a staged program"
    library, all_of_it = _library(some)
    return f"{where}, {'all' if all_of_it else 'most'} of them inside {library}" if library else where


def _wants_numpy(some: list[Explained]) -> bool:
    return _all("in a callback", some) or _all("iterated", some)


def _all(mark: str, some: list[Explained]) -> bool:
    return all(mark in one.specialization.notes for one in some)


def _remedy(group: Group, some: list[Explained], *, again: bool) -> str:
    if _all("in a callback", some):
        return "work with NumPy in a callback: begin with `np.asarray` of what it is given"
    if _all("iterated", some):
        return "make a NumPy array of it first (`np.asarray`): here it is gone through element by element"
    library, _ = _library(some)
    if library:
        called = library if "'s " in library else f"what is {library}'s"
        jitted = f"call {called} from a jitted function, if it can be traced"
        if again:
            return f"{jitted}, or with few different sizes; set-up that runs once may stay as it is"
        return f"set-up that runs once may stay as it is; else {jitted}"
    padded = ", with arrays padded to few sizes" if again else ""
    return f"{to_jit(group.function.qualname)}{padded}; or use NumPy where nothing is gained on the device"
