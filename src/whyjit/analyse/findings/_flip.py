"""What the flips have in common: a leaf that comes in two types, placements or containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.findings._words import more, names, together
from whyjit.analyse.findings.second_step_recompile import is_second_step
from whyjit.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from whyjit.analyse.group import Group
    from whyjit.analyse.page import Page
    from whyjit.model.finding import Change, Explained

_FORMS = 3


def flips(
    group: Group,
    page: Page,
    kind: str,
    remedy: Callable[[str, list[Change]], str],
    *,
    unless: Callable[[Explained, Change], bool] = lambda _one, _change: False,
    word: Callable[[str], str] = str,
) -> Iterator[Finding]:
    """A finding for the leaves whose factor changed, unless the variants are used often or it is the second step's.

    `remedy` makes the advice of the paths in words and their changes. Changes that `unless` is true of are another
    finding's matter. `word` leaves of a leaf's text what this kind is about: leaves that changed alike in it are one.
    """
    changed = group.changed(kind)
    for paths, found in together(changed, by_change=True, word=word):
        kept = [(one, change) for one, change in found if not is_second_step(group, one) and not unless(one, change)]
        some = [one for one, _ in kept]
        if not some or not _worth(group, some):
            continue
        one_text = len({tuple((change.old, change.new) for _, change in changed[path]) for path in paths}) == 1
        was = _was([change for _, change in kept], several=len(paths) > 1, word=str if one_text else word)
        text = f"{names(paths)} {was}: {more(some)}"
        yield Finding(
            page.code,
            paths[0],
            text,
            remedy(names(paths), [change for _, change in kept]),
            saves_s=group.saving(some),
            location=some[0].specialization.call_site,
            ignore=page.ignore,
        )


def _was(changes: list[Change], *, several: bool, word: Callable[[str], str]) -> str:
    forms = list(dict.fromkeys(map(word, [changes[0].old, *(change.new for change in changes)])))
    if len(forms) > 2:
        rest = f", ... {forms[-1]}" if len(forms) > _FORMS else ""
        return f"came in {len(forms)} forms ({', '.join(forms[:_FORMS])}{rest})"
    note = f" ({changes[0].note})" if changes[0].note else ""
    return f"{'were' if several else 'was'} {word(changes[0].old)} and then {word(changes[0].new)}{note}"


def _worth(group: Group, some: list[Explained]) -> bool:
    return all(one.delta == "identical" for one in some) or group.seldom(group.explained)
