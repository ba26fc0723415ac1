"""In a process of its own: rewrites a function, one failing expression after the other, until it can be traced.

Each rewrite is held against the text it was made from before the next is looked for, and the whole against the original
at the end. What is not the same is thrown away, with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
import msgspec

from whyjit.jaxlink import trials
from whyjit.model.arguments import KeptCall
from whyjit.rewrite.control import compare, logical, oracle, rules
from whyjit.rewrite.control.change import Change
from whyjit.rewrite.control.decision import decided
from whyjit.rewrite.control.site import Site, Span, open_site
from whyjit.rewrite.control.versions import Bench, Target, failure_behind, is_in_place, said
from whyjit.rewrite.subject import Subject

if TYPE_CHECKING:
    from whyjit.model.failure import Failure
    from whyjit.rewrite.control.rules import Rule

_ROUNDS = 8


class Request(msgspec.Struct, frozen=True):
    """A function that fails while it is traced, calls of it, and the names of its static parameters.

    `target` is the file that it fails in, if that is another than its own.
    """

    subject: Subject
    calls: tuple[KeptCall, ...]
    statics: tuple[str, ...] = ()
    target: Target | None = None


class Answer(msgspec.Struct, frozen=True):
    """What became of it: `text` is the rewritten file, "" where there is none, and `reasons` say why.

    `steps` are the kinds and words of the rewrites. `proven` tells that both ways of its one condition were shown to
    be the original's. `checked` says what was compared, `notes` what differs and no test decides. `refused` tells that
    no rewrite was even tried. `draft` is a text that nothing speaks against, but that
    could not be held against the original as a whole.
    """

    text: str = ""
    steps: tuple[tuple[str, str], ...] = ()
    proven: bool = False
    checked: str = ""
    notes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    refused: bool = False
    kind: str = ""
    draft: str = ""
    tested: tuple[str, ...] = ()
    traces: int = 0
    seconds: float = 0.0


def run(payload: bytes) -> bytes:
    """The task for `run_apart`: a `Request` as msgpack in, an `Answer` out."""
    request = msgspec.msgpack.decode(payload, type=Request)
    return msgspec.msgpack.encode(rewritten(request))


def rewritten(request: Request) -> Answer:
    """Rewrite the function until it can be traced, and compare. What it does to this process is not undone."""
    with Bench(request.subject, request.calls, request.statics, request.target) as bench:
        reason = bench.obstacle()
        if reason:
            return Answer(reasons=(reason,), refused=True)
        return _Search(bench).search()


class _Lost(Exception):  # noqa: N818 - told to the user as the reason
    """Why the search ends."""


class _Search:
    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._steps: list[Change] = []
        self._reasons: list[str] = []
        self._kind = ""
        self._tried = False
        self._proven = False
        self._draft = ""

    def search(self) -> Answer:
        """Go on until nothing fails any more, or until nothing more can be done."""
        try:
            return self._finished(self._rewritten())
        except _Lost as reason:
            draft, steps = self._draft, tuple((step.kind, step.what) for step in self._steps if self._draft)
            reasons = dict.fromkeys([*self._reasons, str(reason)])
            return Answer(
                reasons=tuple(filter(None, reasons)), refused=not self._tried, kind=self._kind, draft=draft, steps=steps
            )

    def _rewritten(self) -> str:
        """The text that can be traced. Raises `_Lost` where there is none."""
        text = self._bench.target.source
        for _ in range(_ROUNDS):
            site = self._failing(text)
            if site is None:
                return text
            text = self._step(site).text
        raise _Lost(f"after {_ROUNDS} rewrites it still fails")

    def _finished(self, text: str) -> Answer:
        if not self._steps:
            raise _Lost("it does not fail when it is traced with these arguments")
        verdict = compare.whole(self._bench, text, ties=any(step.ties for step in self._steps))
        if verdict.difference:
            self._draft = text if verdict.open else ""
            raise _Lost(verdict.difference)
        version = self._bench.version(text)
        traces, seconds = trials.timed(version.function, version.calls, self._bench.statics)
        notes = [note for step in self._steps for note in step.notes]
        return Answer(
            text=text,
            steps=tuple((step.kind, step.what) for step in self._steps),
            proven=self._proven and len(self._steps) == 1,
            checked=verdict.checked,
            notes=tuple(dict.fromkeys([*notes, *verdict.notes])),
            reasons=tuple(self._reasons),
            kind=self._kind,
            tested=verdict.tested,
            traces=traces,
            seconds=seconds,
        )

    def _step(self, site: Site) -> Change:
        """The first rewrite of a failing expression that is not seen to change anything."""
        found = rules.changes(site)
        if not self._steps:
            kinds = [*(change.kind for change, _ in found.changes), *(one.kind for one in found.refusals)]
            self._kind = kinds[0] if kinds else ""
        if not found.changes:
            self._reasons += [one.reason for one in found.refusals]
            raise _Lost("" if found.refusals else unwritten(site))
        if not self._tried:
            self._tried = True
            reason = compare.unsteady(self._bench)
            if reason:
                raise _Lost(reason)
        for change, rule in found.changes:
            reason = self._objection(site, change, rule)
            if not reason:
                if not self._steps:
                    self._kind = change.kind
                self._steps.append(change)
                return change
            self._reasons.append(f"{change.what}: {reason}")
        raise _Lost("")

    def _objection(self, site: Site, change: Change, rule: Rule) -> str:
        """Why a rewrite is not good; "" if nothing was found."""
        raised = self._bench.trace(change.text)
        if raised is not None:
            again = self._site_of(raised, change.text)
            if again is None or again.code not in rules.CODES:
                return f"it cannot be traced: {said(raised)}"
            if again.text(again.node) == site.text(site.node) and _same_place(again, site):
                return f"it fails as before: {said(raised)}"
        if not change.branches:
            return ""
        forced, original = rule(site.with_forced(oracle.WAY)), self._bench.forced(site)
        if not isinstance(forced, Change) or original is None:
            return "its condition cannot be forced either way"
        told = compare.ways(self._bench, original, forced.text, whole=raised is None)
        if not told and raised is None and not self._steps:
            self._proven = _is_unchanged(site) and compare.proves(self._bench, original, forced.text)
        if told.startswith(compare.UNRUN) and raised is None and compare.proves(self._bench, original, forced.text):
            return ""  # each way is the original's program; that the whole is not compared will be told
        return told

    def _failing(self, text: str) -> Site | None:
        """The expression that a text fails at; None where it can be traced."""
        raised = self._bench.trace(text)
        if raised is None:
            return None
        site = self._site_of(raised, text)
        if site is None:
            raise _Lost(f"it fails in a way that has no rewrite: {said(raised)}")
        return site

    def _site_of(self, raised: BaseException, text: str) -> Site | None:
        failure = failure_behind(raised)
        file = self._bench.target.file
        if failure is None:
            span = in_place_span(raised, file, text)
            return None if span is None else open_site(text, span, rules.IN_PLACE)
        span = span_of_failure(failure)
        return None if span is None or failure.file != file else open_site(text, span, failure.code)


def unwritten(site: Site) -> str:
    """Why no rule is meant for a site."""
    owner = decided(site)
    if isinstance(owner, cst.Assert):
        return "no rewrite: a program cannot raise, so what is to happen instead of the assert is yours to choose"
    if isinstance(owner, cst.While):
        return "no rewrite: a loop has more than one form as a program, and which one is yours to choose"
    if isinstance(owner, cst.CompIf):
        return "no rewrite: how many elements it keeps would depend on values"
    if any(isinstance(part, cst.Match) for part in site.ancestors()) and owner is None:
        return "no rewrite: a match has more than one form as a program, and which one is yours to choose"
    return f"no rewrite for `{site.one_line(site.node)}` in this place"


def _is_unchanged(site: Site) -> bool:
    """Whether the condition is one comparison or value, which the rewrite takes over as it stands."""
    return getattr(decided(site), "test", None) is site.node and not logical.is_logical(site.node)


def span_of_failure(failure: Failure) -> Span | None:
    """Where the failing expression stands, if that is known."""
    if failure.columns is None:
        return None
    return Span(failure.line, failure.columns[0], failure.end_line, failure.end_column)


def in_place_span(raised: BaseException, file: str, text: str) -> Span | None:
    """The target of an assignment to an element that JAX has refused."""
    if not is_in_place(raised):
        return None
    found: Span | None = None
    lines = text.split("\n")
    trace = raised.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == file and trace.tb_lasti >= 0:
            line, end_line, column, end_column = list(code.co_positions())[trace.tb_lasti // 2]
            if line is not None and end_line is not None and column is not None and end_column is not None:
                found = Span(line, _characters(lines, line, column), end_line, _characters(lines, end_line, end_column))
        trace = trace.tb_next
    return found


def _characters(lines: list[str], line: int, column: int) -> int:
    return len(lines[line - 1].encode()[:column].decode(errors="replace"))


def _same_place(one: Site, other: Site) -> bool:
    return [type(part) for part in one.ancestors()] == [type(part) for part in other.ancestors()]
