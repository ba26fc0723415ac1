"""What JAX's persistent cache did for a run, judged against an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse import disk_words
from whyjit.analyse.disk_cache import SPARED
from whyjit.present import paths, units
from whyjit.present.compose.reasons import changes_text
from whyjit.present.compose.words import ARROW, DELTAS, as_role, prose, words
from whyjit.present.document import (
    Block,
    Callout,
    Column,
    Document,
    Heading,
    Paragraph,
    Severity,
    Span,
    Table,
    TableRow,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.disk_cache import Comparison, Verdict
    from whyjit.present.document import Text

_COLUMNS = (
    Column("seconds", "right"),
    Column("function", priority=0),
    Column("earlier", "right", priority=2),
    Column("called from", priority=1),
)
_ROWS = 10
# What stands in a heading for each status; those that could have been spared come first.
_HEADINGS = {
    "key": "Kept under another key",
    "unwritten": "Not written by the earlier run",
    "gone": "No longer there",
    "elsewhere": "Kept in another directory",
    "program": "Another program",
    "new": "Not compiled by the earlier run",
    "off": "No persistent cache in use",
    "found": "Found on disk",
}


def cache(comparison: Comparison, *, earlier: str, later: str, directory: str = "") -> Document:
    """The later run's compiles by what the cache did for them; `earlier` and `later` name the runs to people."""
    blocks: list[Block] = [_headline(comparison, earlier, later)]
    for status, title in _HEADINGS.items():
        groups: dict[str, list[Verdict]] = {}
        for verdict in comparison.verdicts:
            if verdict.status == status:
                groups.setdefault(disk_words.reason(verdict) if status == "key" else "", []).append(verdict)
        for some in groups.values():
            blocks += _group(title, some, directory)
    return Document("whyjit cache", tuple(blocks))


def _headline(comparison: Comparison, earlier: str, later: str) -> Callout:
    found = [verdict for verdict in comparison.verdicts if verdict.status == "found"]
    missed = [verdict for verdict in comparison.verdicts if verdict.status not in {"found", "off"}]
    if not comparison.verdicts:
        return Callout("info", words(f"{later} compiled nothing"))
    if not comparison.later_used:
        setting = Span("jax_compilation_cache_dir", "code")
        return Callout("info", words(f"{later} used no persistent cache: ", setting, " was not set"))
    severity: Severity = "warn" if comparison.spared_s > 0 else "good"
    saved = f", which saved {units.seconds(comparison.saved_s)}" if comparison.saved_s > 0 else ""
    details = [
        words(
            f"{units.seconds(comparison.spared_s)} of compiling could have been spared"
            if comparison.spared_s > 0
            else f"nothing that {earlier} compiled was compiled again"
        )
    ]
    if not comparison.earlier_used:
        details = [as_role(f"{earlier} used no persistent cache, so nothing of it can be compared", "warn")]
    text = f"{units.plural(len(found), 'program')} found on disk{saved}; {units.plural(len(missed), 'compile')}"
    return Callout(severity, words(Span(text, "strong")), tuple(details))


def _group(title: str, some: Sequence[Verdict], directory: str) -> list[Block]:
    spent = sum(verdict.seconds for verdict in some)
    blocks: list[Block] = [Heading(words(f"{title}: {len(some)}, {units.seconds(spent)}"))]
    first = some[0]
    if first.status in SPARED:
        blocks.append(Paragraph(prose(disk_words.reason(first))))
        blocks.append(Paragraph(words(ARROW, " ", prose(disk_words.remedy(first)))))
    rows = tuple(_row(verdict, directory) for verdict in some[:_ROWS])
    more = len(some) - len(rows)
    blocks.append(Table(_COLUMNS, rows, as_role(f"and {more} more" if more > 0 else "", "dim")))
    return blocks


def _row(verdict: Verdict, directory: str) -> TableRow:
    spec = verdict.look.specialization
    cells: tuple[Text, ...] = (
        as_role(units.seconds(verdict.seconds), "number"),
        as_role(verdict.look.name, "name"),
        as_role("" if verdict.earlier_s is None else units.seconds(verdict.earlier_s), "number"),
        as_role(paths.place(spec.call_site, directory), "path"),
    )
    details: list[Text] = []
    if verdict.status == "program":
        delta = DELTAS[verdict.delta] if verdict.delta else "programs not compared"
        changed = words("; ", changes_text(verdict.changes)) if verdict.changes else ()
        details.append(words(as_role(delta, "plain"), changed))
    return TableRow(cells, tuple(details))
