"""Whether a run kept its budget: which limit was exceeded, by which call, why, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.needless import needless_retraces
from whyjit.analyse.paths import short
from whyjit.analyse.remedies import remedy_of
from whyjit.model.budget import Breach, Budget, Limits, Verdict
from whyjit.model.source import Location

if TYPE_CHECKING:
    from whyjit.model.finding import Explained, FunctionReport, Report
    from whyjit.model.recording import Row, StageKind

# The number of the call that made each specialization, by the function's id; None where calls were not recorded.
FirstCalls = Callable[[int], dict[int, int]]
# The process in which a function's specialization was made, in words, and its number there.
Origin = Callable[[int, int], tuple[str, int]]

_RUN = "the run"


class Event(NamedTuple):
    """Something that happened to a function, in order of time."""

    moment: float
    function: FunctionReport
    explained: Explained
    amount: float = 1.0


def check(report: Report, budget: Budget, first_calls: FirstCalls | None, origin: Origin | None = None) -> Verdict:
    """Compare a run with its budget. A pattern's limits hold for each function that fits it, by itself.

    `origin` tells in which process a specialization was made, where the report is of several.
    """
    breaches: list[Breach] = []
    unjudged: list[str] = []
    notes: list[str] = []
    judge = _Judge(report, first_calls, origin, breaches, unjudged)
    judge.limits(report.functions, budget.totals, "", _RUN)
    for pattern, limits in budget.functions:
        found = matching(report, pattern)
        if not found:
            notes.append(f'no function of this run fits "{pattern}": its limits were not put to the test')
        for function in found:
            judge.limits([function], limits, pattern, f"`{function.function.name}`")
    if not report.complete:
        notes.append("the recording did not end in good order: what came after its last batch was not judged")
    return Verdict(tuple(breaches), tuple(dict.fromkeys(unjudged)), tuple(notes), judge.checked)


def matching(report: Report, pattern: str | None) -> list[FunctionReport]:
    """The functions whose name or qualified name fits a pattern; without one, those of the user's own code.

    A pattern fits operations called one by one by their line, such as `train.py:12`.
    """
    if pattern is None:
        return [function for function in report.functions if function.function.origin == "user"]
    return [
        function
        for function in report.functions
        if fnmatchcase(function.function.name, pattern) or fnmatchcase(function.function.qualname, pattern)
    ]


def events(functions: Iterable[FunctionReport], *kinds: StageKind) -> list[Event]:
    """The stages of some kinds, in order of time, each with its seconds as `amount`."""
    found = [
        Event(stage.start, function, explained, stage.seconds)
        for function in functions
        for explained in function.specializations
        for stage in explained.specialization.stages
        if stage.kind in kinds
    ]
    return sorted(found, key=lambda event: event.moment)


def first_calls(rows: Iterable[Row]) -> dict[int, int]:
    """The number of a function's call that brought about each of its specializations, from its ledger's rows."""
    found: dict[int, int] = {}
    calls = 0
    for row in rows:
        if row.nested:
            continue
        found.setdefault(row.specialization, calls + 1)
        calls += row.count
    return found


class _Judge:
    """Compares groups of functions with limits, and collects what comes of it."""

    def __init__(
        self,
        report: Report,
        first: FirstCalls | None,
        origin: Origin | None,
        breaches: list[Breach],
        unjudged: list[str],
    ) -> None:
        self._report = report
        self._first = first
        self._origin = origin
        self._breaches = breaches
        self._unjudged = unjudged
        self.checked = 0

    def limits(self, functions: Sequence[FunctionReport], limits: Limits, where: str, who: str) -> None:
        """Hold some functions, together, to limits."""
        totals = self._report.totals
        whole = not where
        if limits.max_traces is not None:
            made = events(functions, "trace")
            count = totals.traces if whole else len(made)
            self._counted("max_traces", where, who, count, limits.max_traces, made, "traced")
        if limits.max_compiles is not None:
            made = events(functions, "compile")
            count = totals.compiles if whole else len(made)
            self._counted("max_compiles", where, who, count, limits.max_compiles, made, "compiled")
        if limits.max_needless_retraces is not None:
            made = _needless(functions)
            limit = limits.max_needless_retraces
            self._counted("max_needless_retraces", where, who, len(made), limit, made, "traced needlessly")
        if limits.max_compile_s is not None:
            self._seconds(functions, limits.max_compile_s, where, who)
        if limits.warm_after_call is not None:
            for function in functions:
                self._warm(function, limits.warm_after_call, where)

    def _counted(
        self, limit: str, where: str, who: str, count: int, allowed: int, made: Sequence[Event], what: str
    ) -> None:
        self.checked += 1
        if count <= allowed:
            return
        done = f"the run {what} {times(count)}" if who == _RUN else f"{who} was {what} {times(count)}"
        text = f"{done}, {allowed:,} {'is' if allowed == 1 else 'are'} allowed ({limit})"
        event = made[allowed] if len(made) > allowed else None
        self._add(limit, where, allowed, count, text, event, who)

    def _seconds(self, functions: Sequence[FunctionReport], allowed: float, where: str, who: str) -> None:
        self.checked += 1
        made = events(functions, "compile", "cache_load")
        found = self._report.totals.compile_s if not where else math.fsum(event.amount for event in made)
        if found <= allowed:
            return
        spent, broke = 0.0, None
        for event in made:
            spent += event.amount
            if spent > allowed:
                broke = event
                break
        text = f"{who} took {found:.3g} s to compile, {allowed:g} s are allowed (max_compile_s)"
        self._add("max_compile_s", where, allowed, found, text, broke, who)

    def _warm(self, function: FunctionReport, allowed: int, where: str) -> None:
        self.checked += 1
        name = function.function.name
        if self._first is None:
            self._unjudged.append(
                f"`{name}`: warm_after_call needs every call, and this run was recorded without those on the fast path"
            )
            return
        first = self._first(function.function.id)
        late = [
            (first[one.specialization.number], one)
            for one in function.specializations
            if one.specialization.stages and first.get(one.specialization.number, 0) > allowed
        ]
        if not late:
            return
        call, one = min(late, key=lambda each: each[0])
        more = f", and {len(late) - 1} more after it" if len(late) > 1 else ""
        text = (
            f"`{name}` got a new specialization at its call {call:,}{more};"
            f" none is allowed after call {allowed:,} (warm_after_call)"
        )
        self._add("warm_after_call", where, allowed, call, text, Event(0.0, function, one), f"`{name}`")

    def _add(
        self, limit: str, where: str, allowed: float, found: float, text: str, event: Event | None, who: str
    ) -> None:
        if event is None:
            name = "" if who == _RUN else who.strip("`")
            self._breaches.append(Breach(limit, where, name, allowed, found, text))
        else:
            self._breaches.append(breach(limit, where, allowed, found, text, event, self._report, self._origin))


def breach(
    limit: str,
    where: str,
    allowed: float,
    found: float,
    text: str,
    event: Event,
    report: Report,
    origin: Origin | None = None,
) -> Breach:
    """A breach, with the call that brought it about, its cause and its remedy."""
    known, spec, cause = event.function.function, event.explained.specialization, event.explained.cause
    site = spec.call_site
    place = f"{short(site.file, report.environment.directory)}:{site.line}" if site.file else ""
    process, number = origin(known.id, spec.number) if origin else ("", spec.number)
    by = f"`{known.name}`" + (f" called at {place}" if place else "") + (f" in {process}" if process else "")
    return Breach(
        limit,
        where,
        known.name,
        allowed,
        found,
        f"{text}; {by} broke it: {cause.text}",
        _remedy(event),
        cause.text,
        number,
        site if site.file else None,
        Location(known.file, known.line, known.qualname),
        process,
    )


def _remedy(event: Event) -> str:
    """The remedy of the finding that is about what changed, or what helps against this kind of cause in general."""
    cause = event.explained.cause
    paths = {change.path for change in cause.changes}
    findings = [finding for finding in event.function.findings if finding.path in paths]
    return findings[0].remedy if findings else remedy_of(cause)


def _needless(functions: Iterable[FunctionReport]) -> list[Event]:
    found = [
        Event(one.specialization.started, function, one)
        for function in functions
        for one in needless_retraces(function)
    ]
    return sorted(found, key=lambda event: event.moment)


def times(count: int) -> str:
    """How often, in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")
