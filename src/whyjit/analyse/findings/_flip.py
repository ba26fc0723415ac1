"""What the flips have in common: a leaf that comes in two types, placements or containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings.second_step_recompile import is_second_step
from whyjit.analyse.group import seconds
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.analyse.page import Page
    from whyjit.model.finding import Explained


def flips(group: Group, page: Page, kind: str, noun: str, *, needless_only: bool = False) -> Iterator[Finding]:
    """A finding for each path whose factor changed, unless the variants are used often or it is the second step's."""
    for path, found in group.changed(kind).items():
        some = [one for one, _ in found if not is_second_step(group, one)]
        if not some or not _worth(group, some, needless_only=needless_only):
            continue
        change = next(change for one, change in found if one is some[0])
        text = f"`{path}` changed its {noun} from {change.old} to {change.new}: {len(some)} later specializations, {seconds(some):.2g} s"
        yield Finding(
            page.code,
            path,
            text,
            page.todo,
            saves_s=seconds(some),
            location=some[0].specialization.call_site,
            ignore=page.ignore,
        )


def _worth(group: Group, some: list[Explained], *, needless_only: bool) -> bool:
    if all(one.delta == "identical" for one in some):
        return True
    return not needless_only and group.seldom(group.explained)
