"""What came of a check: each limit that was exceeded, by which call, why, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import units
from whyjit.present.compose.words import ARROW, prose, words
from whyjit.present.document import Block, Callout, Document, Paragraph

if TYPE_CHECKING:
    from whyjit.model.budget import Breach, Verdict


def check(verdict: Verdict, *, against: str) -> Document:
    """The verdict on a run; `against` names the budget or the baseline."""
    blocks: list[Block] = [_head(verdict, against)]
    blocks += [_breach(breach) for breach in verdict.breaches]
    blocks += [Callout("warn", words("not judged: ", prose(text))) for text in verdict.unjudged]
    blocks += [Paragraph(prose(text)) for text in verdict.notes]
    return Document("check", tuple(blocks))


def _head(verdict: Verdict, against: str) -> Callout:
    if verdict.breaches:
        count = units.plural(len(verdict.breaches), "limit")
        return Callout("bad", prose(f"{count} of {against} exceeded, of {verdict.checked:,} compared"))
    if verdict.checked == 0:
        return Callout("warn", prose(f"nothing was compared: {against} sets no limit that this run can be held to"))
    return Callout("good", prose(f"the run keeps to {against}: {units.plural(verdict.checked, 'limit')} compared"))


def _breach(breach: Breach) -> Callout:
    details = (words(ARROW, " ", prose(breach.remedy)),) if breach.remedy else ()
    return Callout("bad", prose(breach.text), details)
