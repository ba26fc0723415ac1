"""Compiles that JAX's persistent cache could have spared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse import disk_words
from whyjit.analyse.disk_cache import SPARED, Look, Seen
from whyjit.analyse.page import Example, Page
from whyjit.model.durations import duration
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.disk_cache import Verdict
    from whyjit.analyse.group import Group

PAGE = Page(
    code="persistent-cache-miss",
    title="The persistent cache did not have it",
    what=(
        "A program was compiled that had been compiled before, in this run or in an earlier one, and the persistent"
        " compilation cache did not answer."
    ),
    why=(
        "An entry's key is made of the program, the versions of jaxlib and of the platform, the XLA flags, the compile"
        " options and the devices: one difference makes it another key. An entry is not written for a compile that took"
        " less than `jax_persistent_cache_min_compile_time_secs` (1 s unless set), for one that is small, nor, before"
        " JAX 0.12, for a program with callbacks."
    ),
    todo=(
        "Make the component the same in both runs, or lower the threshold. `whyjit cache RUN_A RUN_B` shows every"
        " compile of two runs."
    ),
    ignore="When the difference is meant: an upgrade, another device, flags under test.",
    before=Example(
        "import jax, jax.numpy as jnp, tempfile\n"
        "jax.config.update('jax_compilation_cache_dir', tempfile.mkdtemp())\n"
        "double = jax.jit(lambda x: x * 2)\n"
        "double(jnp.ones(3))\n"
        "jax.clear_caches()  # as in a new process\n"
        "double(jnp.ones(3))  # compiled again: the first took less than a second and was not written\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp, tempfile\n"
        "jax.config.update('jax_compilation_cache_dir', tempfile.mkdtemp())\n"
        "jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)\n"
        "double = jax.jit(lambda x: x * 2)\n"
        "double(jnp.ones(3))\n",
        shows=False,
    ),
)


def find(group: Group) -> Iterator[Finding]:
    """Compiles of a program that was compiled before, by what kept the cache from answering."""
    if group.function.origin == "eager":
        return
    alike: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in _verdicts(group):
        alike.setdefault((verdict.status, disk_words.remedy(verdict)), []).append(verdict)
    for some in alike.values():
        spent = sum(verdict.seconds for verdict in some)
        times = f"{len(some)} compile{'s' if len(some) > 1 else ''}"
        yield Finding(
            PAGE.code,
            None,
            f"{disk_words.reason(some[-1])}: {times}, {duration(spent)}",
            disk_words.remedy(some[-1]),
            saves_s=spent,
            location=some[0].look.specialization.call_site,
            ignore=PAGE.ignore,
        )


def _verdicts(group: Group) -> list[Verdict]:
    """Each compile judged by all that came before it: earlier runs, then this one."""
    own = [
        Look(group.function, one.specialization, stage)
        for one in group.explained
        for stage in one.specialization.stages
        if stage.kind in ("compile", "cache_load") and stage.disk is not None
    ]
    own.sort(key=lambda look: look.stage.start)
    if all(look.disk is not None and look.disk.outcome == "found" for look in own):
        return []
    seen = Seen(group.looks)
    found: list[Verdict] = []
    for look in own:
        verdict = seen.judge(look)
        if verdict.status in SPARED:
            found.append(verdict)
        seen.add(look)
    return found
