"""Two recordings beside each other: what became of each function's work, by its causes, and of its findings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from whyjit.analyse.matching import Matched, matched
from whyjit.analyse.paths import short
from whyjit.model.comparison import CauseShift, Comparison, Counts, FailureShift, FindingShift, FunctionShift, Side

if TYPE_CHECKING:
    from whyjit.model.comparison import State
    from whyjit.model.failure import Failure
    from whyjit.model.finding import Explained, Finding, FunctionReport, Report

# Seconds and line numbers in a finding's text differ without anything having changed.
_PASSING = re.compile(r"\d[\d.e+-]*\s(?:ms|s|min|h)\b|(?<=\.py):\d+")


def compare(before: Report, after: Report, processes: tuple[int, int] = (1, 1)) -> Comparison:
    """What changed from one report to another; functions are matched across edits, see `matching`.

    `processes` is how many processes each of them is of, see `merging`.
    """
    directories = before.environment.directory, after.environment.directory
    shifts = [_function(each) for each in matched(before.functions, after.functions, directories)]
    shifts.sort(key=_rank)
    return Comparison(
        _side(before, processes[0]),
        _side(after, processes[1]),
        tuple(shifts),
        tuple(_failures(before, after)),
        tuple(_differences(before, after, processes)),
    )


def _side(report: Report, processes: int) -> Side:
    return Side(report.environment, report.totals, report.complete, len(report.gaps), processes)


def _rank(shift: FunctionShift) -> tuple[bool, float, str, str, int]:
    about = shift.known.function
    moved = abs(shift.counts_after.seconds - shift.counts_before.seconds)
    return (shift.state == "same", -moved, about.qualname, about.file, about.line)


def _function(pair: Matched) -> FunctionShift:
    return FunctionShift(
        pair.before,
        pair.after,
        pair.match,
        _sum(_explained(pair.before)),
        _sum(_explained(pair.after)),
        tuple(_causes(pair)),
        tuple(_findings(pair)),
    )


def _explained(reports: Iterable[FunctionReport]) -> list[Explained]:
    return [explained for report in reports for explained in report.specializations]


def _sum(some: Sequence[Explained]) -> Counts:
    stages = [stage for one in some for stage in one.specialization.stages]
    kinds = Counter(stage.kind for stage in stages)
    return Counts(
        specializations=len(some),
        calls=sum(one.specialization.calls for one in some),
        nested_calls=sum(one.specialization.nested_calls for one in some),
        traces=kinds["trace"],
        lowerings=kinds["lower"],
        compiles=kinds["compile"],
        persistent_cache_hits=kinds["cache_load"],
        seconds=sum(stage.own if stage.kind == "trace" else stage.seconds for stage in stages),
    )


def _causes(pair: Matched) -> list[CauseShift]:
    """The causes of a function's specializations in order of their seconds in both recordings."""
    before, after = _by_cause(pair.before), _by_cause(pair.after)
    shifts = [
        CauseShift(kind, path, _sum(before.get((kind, path), ())), _sum(after.get((kind, path), ())))
        for kind, path in {**before, **after}
    ]
    return sorted(shifts, key=lambda shift: -(shift.before.seconds + shift.after.seconds))


def _by_cause(reports: Iterable[FunctionReport]) -> dict[tuple[str, str | None], list[Explained]]:
    found: dict[tuple[str, str | None], list[Explained]] = {}
    for explained in _explained(reports):
        cause = explained.cause
        kind = "earlier" if explained.specialization.earlier else cause.kind
        path = cause.changes[0].path if cause.changes and kind == cause.kind else None
        found.setdefault((kind, path), []).append(explained)
    return found


def _findings(pair: Matched) -> Iterator[FindingShift]:
    before, after = _by_subject(pair.before), _by_subject(pair.after)
    for key in {**before, **after}:
        old, new = before.get(key, []), after.get(key, [])
        for at in range(max(len(old), len(new))):
            one, other = (side[at] if at < len(side) else None for side in (old, new))
            yield FindingShift(key[0], key[1], _finding_state(one, other), one, other)


def _by_subject(reports: Iterable[FunctionReport]) -> dict[tuple[str, str | None], list[Finding]]:
    found: dict[tuple[str, str | None], list[Finding]] = {}
    for report in reports:
        for finding in report.findings:
            found.setdefault((finding.code, finding.path), []).append(finding)
    return found


def _finding_state(before: Finding | None, after: Finding | None) -> State:
    if before is None or after is None:
        return "new" if before is None else "gone"
    said = [(_PASSING.sub("", one.text), one.evidence) for one in (before, after)]
    return "same" if said[0] == said[1] else "changed"


def _failures(before: Report, after: Report) -> Iterator[FailureShift]:
    """Errors by what failed and in which function: lines move."""
    old = {_failure_key(failure, before.environment.directory): failure for failure in before.failures}
    new = {_failure_key(failure, after.environment.directory): failure for failure in after.failures}
    for key, failure in {**old, **new}.items():
        state: State = "same" if key in old and key in new else "new" if key in new else "gone"
        yield FailureShift(state, failure)


def _failure_key(failure: Failure, directory: str) -> tuple[str, ...]:
    where = short(failure.file, directory)
    return (failure.error, failure.code, failure.function, where, failure.expression)


def _differences(before: Report, after: Report, processes: tuple[int, int]) -> Iterator[tuple[str, str, str]]:
    """What else differs between the runs, and may have changed the numbers."""
    one, other = before.environment, after.environment
    for name, old, new in (
        ("JAX", one.jax, other.jax),
        ("jaxlib", one.jaxlib, other.jaxlib),
        ("Python", one.python, other.python),
        ("platform", one.platform, other.platform),
        ("command", " ".join(one.argv), " ".join(other.argv)),
        ("process", str(one.process_index), str(other.process_index)),
        ("number of processes", str(processes[0]), str(processes[1])),
    ):
        if old != new:
            yield name, old, new
