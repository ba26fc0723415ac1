"""Small pieces of text that several views share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whyjit.present import units
from whyjit.present.document import Role, Span, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whyjit.model.finding import Delta, Finding
    from whyjit.model.recording import Stage

_QUOTED = re.compile(r"`([^`\n]+)`")

LONG_NAME = 48
_BEFORE = 8
ARROW = Span("->", "arrow")

DELTAS: dict[Delta, str] = {
    "identical": "the same program",
    "literals": "the same program but for literal values",
    "shapes": "the same program but for dimension sizes",
    "dtypes": "the same program but for element types",
    "structure": "a different program",
}

BRIEF_DELTAS: dict[Delta, str] = {
    "identical": "same program",
    "literals": "only literals differ",
    "shapes": "only sizes differ",
    "dtypes": "only types differ",
    "structure": "another program",
}

STAGES = {"trace": "trace", "lower": "lower", "compile": "compile", "cache_load": "load"}


def words(*parts: str | Span | Text) -> Text:
    """One text from strings, spans and texts."""
    spans: list[Span] = []
    for part in parts:
        if isinstance(part, str):
            spans.append(Span(part))
        elif isinstance(part, Span):
            spans.append(part)
        else:
            spans.extend(part)
    return tuple(span for span in spans if span.text)


def as_role(text: str, role: Role) -> Text:
    """A text of one span; nothing where there is no text."""
    return (Span(text, role),) if text else ()


def prose(text: str, role: Role = "plain") -> Text:
    """Running text in which what stands between backticks is code."""
    spans: list[Span] = []
    end = 0
    for match in _QUOTED.finditer(text):
        spans += [Span(text[end : match.start()], role), Span(match[1], "quoted")]
        end = match.end()
    spans.append(Span(text[end:], role))
    return tuple(span for span in spans if span.text)


def joined(texts: Iterable[Text], between: str = ", ") -> Text:
    """Texts with something between them."""
    spans: list[Span] = []
    for text in texts:
        if spans:
            spans.append(Span(between))
        spans.extend(text)
    return tuple(spans)


def listed(names: Sequence[str], shown: int = 3) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


def cut(text: str, length: int = 60) -> str:
    """The text, or its beginning and its end where it is too long for a line."""
    if len(text) <= length:
        return text
    tail = length // 3
    return f"{text[: length - tail - 3]}...{text[-tail:]}"


def cut_pair(old: str, new: str, length: int) -> tuple[str, str]:
    """Two texts cut so that what differs between them stays in sight."""
    if len(old) <= length and len(new) <= length:
        return old, new
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    start = max(0, same - _BEFORE)
    lead = "..." if start > len("...") else ""
    start = start if lead else 0
    room = length - len(lead)
    return lead + cut(old[start:], room), lead + cut(new[start:], room)


def code_of(finding: Finding) -> Span:
    """The finding's code, which points to its page."""
    return Span(finding.code, "bad" if finding.wrong else "warn", finding.code)


def remedy_of(finding: Finding) -> Text:
    """What to do, how well that is known, and what it would save."""
    saves = f", saves {units.seconds(finding.saves_s)}" if finding.saves_s >= 0.0005 else ""
    tail = Span(f" ({finding.evidence.lower()}{saves})", "dim")
    return words(ARROW, " ", prose(finding.remedy) or "no remedy known", tail)


def stage_counts(stages: Sequence[Stage]) -> str:
    """The stages with their times: `trace 12 ms, lower 3 ms, compile 0.18 s`; none gives ""."""
    sums: dict[str, float] = {}
    for stage in stages:
        sums[stage.kind] = sums.get(stage.kind, 0.0) + (stage.own if stage.kind == "trace" else stage.seconds)
    return ", ".join(f"{STAGES[kind]} {units.seconds(sums[kind])}" for kind in STAGES if kind in sums)
