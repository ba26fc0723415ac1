"""Processes of one computation that staged different programs."""

from __future__ import annotations

from whyjit.analyse.cause import sentence
from whyjit.analyse.page import Page
from whyjit.analyse.processes import Divergence, Staged
from whyjit.model.finding import Finding

PAGE = Page(
    code="process-divergence",
    title="Processes staged different programs",
    what=(
        "Under `jax.distributed` one process lowered another program than the first process did, or in another order,"
        " or one more."
    ),
    why=(
        "Every process of a computation must run the same programs on the same global arrays in the same order. Where"
        " they part, collective operations wait for each other without end, or the results are wrong. A decision that"
        " differs between processes is the usual source: a rank, a host's files, the time, random numbers, a setting."
    ),
    todo=(
        "Make the decision in one process and send it to the others (`jax.experimental.multihost_utils"
        ".broadcast_one_to_all`), or make it from what all processes share."
    ),
    ignore="For work that one process does alone on its own devices, such as logging or evaluation.",
)


def find(divergence: Divergence) -> Finding:
    """The finding for the first point at which a process differs from the first one."""
    spans = "programs on arrays across processes" if divergence.across else "programs of the user's functions"
    more = len(divergence.others) - 1
    also = f"; {more} more process{'es' if more > 1 else ''} also differ{'' if more > 1 else 's'}" if more else ""
    first, other = divergence.first_process, divergence.other_process
    text = (
        f"process {other} parted from process {first} at number {divergence.at} of its {spans}:"
        f" {_parting(divergence)}{also}"
    )
    site = next((one.specialization.call_site for one in (divergence.other, divergence.first) if one), None)
    path = divergence.changes[0].path if divergence.changes else None
    return Finding(
        PAGE.code, path, text, _remedy(divergence), location=site, ignore=PAGE.ignore, wrong=divergence.across
    )


def _parting(divergence: Divergence) -> str:
    first, other = divergence.first, divergence.other
    told = "; ".join(sentence(change) for change in divergence.changes[:3])
    inside = f" ({told})" if told else ""
    if first is None or other is None:
        extra, alone = (other, divergence.other_process) if first is None else (first, divergence.first_process)
        none = divergence.first_process if first is None else divergence.other_process
        return f"process {alone} staged {_named(extra)}{inside}, and process {none} staged nothing more"
    if _named(first) != _named(other):
        return (
            f"process {divergence.first_process} staged {_named(first)}, and process {divergence.other_process} staged"
            f" {_named(other)}{inside}"
        )
    why = told or "the calls are alike, so it read something from outside that differs between them"
    return f"{_named(first)} became another program ({why})"


def _named(staged: Staged | None) -> str:
    if staged is None:
        return "nothing"
    site = staged.specialization.call_site
    place = f" from {site.file.rpartition('/')[2]}:{site.line}" if site.file else ""
    return f"`{staged.function.name}`{place}"


def _remedy(divergence: Divergence) -> str:
    names = [f"`{change.path}`" for change in divergence.changes[:3] if change.path]
    what = ", ".join(names) if names else "what decides this"
    return f"make {what} the same in every process: decide it in one and broadcast it, or take it from what all share"
