"""What the flips have in common: a leaf that comes in two types, placements or containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more, names, together
from whyjit.analyse.findings.second_step_recompile import is_second_step
from whyjit.analyse.group import seconds
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from whyjit.analyse.group import Group
    from whyjit.analyse.page import Page
    from whyjit.model.finding import Change, Explained


def flips(
    group: Group, page: Page, kind: str, remedy: Callable[[str, Change], str], *, without: str = ""
) -> Iterator[Finding]:
    """A finding for the leaves whose factor changed, unless the variants are used often or it is the second step's.

    `remedy` makes the advice of a path and its change. Where the factor `without` changed too, that is what counts.
    """
    for paths, found in together(group.changed(kind)):
        some = [one for one, _ in found if not is_second_step(group, one) and not _changed(one, without, paths[0])]
        if not some or not _worth(group, some):
            continue
        change = next(change for one, change in found if one is some[0])
        was = "came as" if change.old.startswith(("committed", "not committed", "P(")) else "was"
        text = f"{names(paths)} {was} {change.old} and then {change.new}{_detail(change)}: {more(some)}"
        yield Finding(
            page.code,
            paths[0],
            text,
            remedy(paths[0], change),
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=page.ignore,
        )


def _detail(change: Change) -> str:
    return f" ({change.note})" if change.note else ""


def _changed(one: Explained, kind: str, path: str) -> bool:
    return any(change.kind == kind and change.path == path for change in one.cause.changes)


def _worth(group: Group, some: list[Explained]) -> bool:
    return all(one.delta == "identical" for one in some) or group.seldom(group.explained)
