"""A Python loop that was written into the program round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.group import seconds
from whyjit.analyse.page import Example, Page
from whyjit.model.finding import Finding
from whyjit.model.source import Location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Explained
    from whyjit.model.recording import Unrolled

PAGE = Page(
    code="unrolled-loop",
    title="A Python loop makes most of a large program",
    what="A Python loop ran while the function was traced, and wrote the same operations into the program each round.",
    why=(
        "Python's loops are gone once a function is traced: the program holds every round one after the other, and all"
        " of it is traced, lowered and optimised. A loop of JAX's holds one round, however many there are."
    ),
    todo=(
        "Carry the loop into the program: `jax.lax.fori_loop` where only a counter changes, `jax.lax.scan` where each"
        " round has inputs of its own, stacked into arrays with a leading axis. Jitting a round helps the trace alone."
    ),
    ignore=(
        "When the time is spent once and the program runs long: XLA can optimise across unrolled rounds, and `scan` has"
        " `unroll=` for a middle way."
    ),
    before=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def relax(x):\n"
        "    for _ in range(200):\n"
        "        x = x + 0.1 * jnp.sin(x)\n"
        "    return x\n"
        "relax(jnp.ones(3))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def relax(x):\n"
        "    return jax.lax.fori_loop(0, 200, lambda _, x: x + 0.1 * jnp.sin(x), x)\n"
        "relax(jnp.ones(3))\n",
        shows=False,
    ),
)
# Below these a program is small, or its loop no more than the layers of a network. Not the seconds decide, which are
# others on each machine: by them a finding has its rank.
TIMES = 32
EQUATIONS = 500


def find(group: Group) -> Iterator[Finding]:
    """Loops whose rounds are alike, many, and at least half of their program; one finding for each loop."""
    if group.function.origin != "user":
        return
    loops: dict[tuple[str, int], list[tuple[Explained, Unrolled]]] = {}
    for one in group.explained:
        for loop in one.specialization.unrolled:
            if one.specialization.stages and _large(one, loop):
                loops.setdefault((loop.file, loop.line), []).append((one, loop))
    for members in loops.values():
        one, loop = max(members, key=lambda member: member[1].equations)
        made = one.specialization.fingerprint
        spent = sum(seconds([each]) for each, _ in members)
        programs = f" in each of {len(members)} programs" if len(members) > 1 else ""
        times = f"{'' if loop.even else 'about '}{loop.times:,} times"
        text = (
            f"the loop in `{loop.function}` wrote the same operations {times}:"
            f" {loop.equations:,} of {made.equations if made else 0:,} equations{programs}; tracing, lowering and"
            f" compiling took {_seconds(spent)}"
        )
        yield Finding(
            PAGE.code,
            None,
            text,
            "make it a loop of the program: `jax.lax.fori_loop`, or `jax.lax.scan` over stacked inputs of the rounds",
            saves_s=sum(_later(each) * _share(each, its) * (1 - 1 / its.times) for each, its in members),
            location=Location(loop.file, loop.line, loop.function),
            ignore=PAGE.ignore,
        )


def _large(one: Explained, loop: Unrolled) -> bool:
    return loop.alike and loop.times >= TIMES and loop.equations >= EQUATIONS and _share(one, loop) >= 0.5


def _later(one: Explained) -> float:
    """Seconds of lowering and compiling. What of the tracing is the loop's is not known: the body may do other work."""
    return sum(stage.own for stage in one.specialization.stages if stage.kind != "trace")


def _share(one: Explained, loop: Unrolled) -> float:
    """The loop's part of a program's equations, by which its part of the time is estimated."""
    made = one.specialization.fingerprint
    return min(1.0, loop.equations / made.equations) if made is not None and made.equations else 0.0


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 1 else f"{value * 1000:.0f} ms"
