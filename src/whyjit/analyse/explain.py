"""From a recording to a report: every specialization explained, every finding looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.cause import cause_of
from whyjit.analyse.delta import program_delta
from whyjit.analyse.difference import changes
from whyjit.analyse.disk_cache import looks
from whyjit.analyse.findings import RULES
from whyjit.analyse.group import Group
from whyjit.analyse.nearest import Nearest
from whyjit.model.finding import Cause, Explained, Finding, FunctionReport, Report, Totals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.disk_cache import Look
    from whyjit.model.recording import Function, Recording, Specialization, StageKind, StaleRead


_SUMMED = "many later specializations together: no more of this function are kept one by one"


def explain(recording: Recording, before: Sequence[Recording] = ()) -> Report:
    """The report of a recording; functions in order of the time lost on them.

    `before` are recordings of earlier runs: what they compiled may have been in JAX's persistent cache.
    """
    by_function: dict[int, list[Specialization]] = {}
    for spec in recording.specializations:
        by_function.setdefault(spec.function, []).append(spec)
    stale: dict[int, list[StaleRead]] = {}
    for read in recording.stale:
        stale.setdefault(read.function, []).append(read)
    known: dict[tuple[str, str], list[Look]] = {}
    for look in (look for earlier in before for look in looks(earlier)):
        known.setdefault((look.function.name, look.function.qualname), []).append(look)
    reports = [
        _function(
            function,
            by_function.get(function.id, []),
            stale.get(function.id, []),
            known.get((function.name, function.qualname), []),
        )
        for function in recording.functions
    ]
    reports = [report for report in reports if report.specializations or report.function.bodies]
    reports.sort(key=lambda report: (-report.lost_s, report.function.id))
    return Report(
        recording.environment,
        recording.gaps,
        _totals(recording, reports),
        tuple(reports),
        recording.failures,
        recording.complete,
    )


def explained(specs: Sequence[Specialization]) -> list[Explained]:
    """The specializations of one function, in order of number, each with its cause."""
    ordered = sorted(specs, key=lambda spec: spec.number)
    nearest = Nearest(ordered)
    found: list[Explained] = []
    for at, spec in enumerate(ordered):
        index = nearest.before(at)
        old = None if index is None else ordered[index]
        failed = old is not None and bool(old.error) and not changes(old, spec)
        if spec.earlier and not any(stage.kind == "trace" for stage in spec.stages) and not spec.stages:
            old = None  # it was there before anybody looked
        delta, note = (None, "") if old is None else program_delta(old.fingerprint, spec.fingerprint)
        cause = cause_of(spec, old, failed, delta) if "summed" not in spec.notes else Cause("unknown", (), _SUMMED)
        found.append(Explained(spec, cause, None if old is None else old.number, delta, note))
    return found


def _function(
    function: Function, specs: list[Specialization], stale: list[StaleRead], known: list[Look]
) -> FunctionReport:
    found = explained(specs)
    group = Group(function, found, stale, known)
    findings = [finding for rule in RULES for finding in rule.find(group)]
    findings.sort(key=_rank)

    def total(*kinds: StageKind) -> float:
        return sum(stage.seconds for spec in specs for stage in spec.stages if stage.kind in kinds)

    def count(kind: StageKind) -> int:
        return sum(stage.kind == kind for spec in specs for stage in spec.stages)

    return FunctionReport(
        function,
        tuple(found),
        tuple(findings),
        calls=sum(spec.calls for spec in specs),
        nested_calls=sum(spec.nested_calls for spec in specs),
        traces=count("trace"),
        lowerings=count("lower"),
        compiles=count("compile"),
        persistent_cache_hits=count("cache_load"),
        misses=sum(spec.misses for spec in specs),
        trace_s=total("trace"),
        trace_own_s=sum(stage.own for spec in specs for stage in spec.stages if stage.kind == "trace"),
        lower_s=total("lower"),
        compile_s=total("compile", "cache_load"),
    )


def _rank(finding: Finding) -> tuple[int, float]:
    """A silent wrong result first, then by the seconds that can be saved."""
    return (0 if finding.wrong else 1, -finding.saves_s)


def _totals(recording: Recording, reports: list[FunctionReport]) -> Totals:
    lost = recording.unattributed
    return Totals(
        calls=sum(report.calls for report in reports),
        traces=sum(report.traces for report in reports),
        lowerings=sum(report.lowerings for report in reports) + sum(stage.kind == "lower" for stage in lost),
        compiles=sum(report.compiles for report in reports) + sum(stage.kind == "compile" for stage in lost),
        persistent_cache_hits=sum(report.persistent_cache_hits for report in reports),
        trace_s=sum(report.trace_own_s for report in reports),
        lower_s=sum(report.lower_s for report in reports),
        compile_s=sum(report.compile_s for report in reports),
        unattributed_s=sum(stage.seconds for stage in lost),
        seconds=recording.seconds,
    )
