"""The reports of a run's processes as one report, so that what counts a run counts all of it.

One process's cache proves nothing about another's: each was explained by itself, and only then are they put together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from whyjit.analyse.paths import short
from whyjit.model.finding import Finding, FunctionReport, Report, Totals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whyjit.model.finding import Explained
    from whyjit.model.recording import Environment

Identity = tuple[str, str, int, str, str]


class Member(NamedTuple):
    """A function of one process within a merged one: its number there is less by `shift` than in the merged report."""

    process: int
    function: int
    shift: int


class Merged(NamedTuple):
    """One report for all processes. `members` tells of each of its functions, by id, which functions it stands for."""

    report: Report
    members: dict[int, tuple[Member, ...]]
    names: tuple[str, ...]

    def origin(self, function: int, number: int) -> tuple[str, int]:
        """The process in which a specialization was made, in words, and its number there."""
        member = next(each for each in reversed(self.members[function]) if each.shift < number)
        return self.names[member.process], number - member.shift


def merged(reports: Sequence[Report]) -> Merged:
    """The reports of several processes as one; the first of them names the run.

    Functions of one file, line and name are one function. Moments count from the beginning of the first process.
    """
    members: dict[int, tuple[Member, ...]] = {}
    parts: dict[int, list[FunctionReport]] = {}
    known: dict[Identity, int] = {}
    places: dict[tuple[int, int], tuple[int, int]] = {}
    shifts: dict[int, int] = {}
    for process, report in enumerate(reports):
        for function in report.functions:
            key = known.setdefault(_identity(function, report.environment.directory), len(known) + 1)
            member = Member(process, function.function.id, shifts.get(key, 0))
            places[process, function.function.id] = key, member.shift
            numbers = (each.specialization.number for each in function.specializations)
            shifts[key] = member.shift + max(numbers, default=0)
            members[key] = (*members.get(key, ()), member)
            parts.setdefault(key, []).append(function)
    begun = [report.environment.started for report in reports]
    first = min(begun)
    functions = [
        _function(key, parts[key], members[key], places, [moment - first for moment in begun]) for key in parts
    ]
    functions.sort(key=lambda function: (-function.lost_s, function.function.id))
    return Merged(
        Report(
            reports[0].environment,
            tuple(dict.fromkeys(gap for report in reports for gap in report.gaps)),
            _totals(reports, first),
            tuple(functions),
            tuple(dict.fromkeys(failure for report in reports for failure in report.failures)),
            all(report.complete for report in reports),
        ),
        members,
        names([report.environment for report in reports]),
    )


def names(environments: Sequence[Environment]) -> tuple[str, ...]:
    """The processes in words: by their numbers where `jax.distributed` gave each its own, by their ids elsewhere."""
    indices = [environment.process_index for environment in environments]
    if len(set(indices)) == len(indices):
        return tuple(f"process {index}" for index in indices)
    return tuple(f"the process with pid {environment.pid}" for environment in environments)


def _identity(function: FunctionReport, directory: str) -> Identity:
    """What tells a function in every process: hosts may have it in folders of their own."""
    about = function.function
    return about.origin, short(about.file, directory), about.line, about.qualname, about.name


def _function(
    key: int,
    parts: Sequence[FunctionReport],
    members: Sequence[Member],
    places: dict[tuple[int, int], tuple[int, int]],
    offsets: Sequence[float],
) -> FunctionReport:
    explained = [
        _moved(each, key, member, places, offsets[member.process])
        for part, member in zip(parts, members, strict=True)
        for each in part.specializations
    ]
    return FunctionReport(
        structs.replace(parts[0].function, id=key),
        tuple(explained),
        tuple(_findings(parts)),
        calls=sum(part.calls for part in parts),
        nested_calls=sum(part.nested_calls for part in parts),
        traces=sum(part.traces for part in parts),
        lowerings=sum(part.lowerings for part in parts),
        compiles=sum(part.compiles for part in parts),
        persistent_cache_hits=sum(part.persistent_cache_hits for part in parts),
        misses=sum(part.misses for part in parts),
        trace_s=sum(part.trace_s for part in parts),
        trace_own_s=sum(part.trace_own_s for part in parts),
        lower_s=sum(part.lower_s for part in parts),
        compile_s=sum(part.compile_s for part in parts),
    )


def _moved(
    each: Explained, key: int, member: Member, places: dict[tuple[int, int], tuple[int, int]], offset: float
) -> Explained:
    spec = each.specialization
    parent = spec.parent
    if parent is not None:
        above = places.get((member.process, parent[0]))
        parent = None if above is None else (above[0], parent[1] + above[1])
    spec = structs.replace(
        spec,
        function=key,
        number=spec.number + member.shift,
        parent=parent,
        started=spec.started + offset,
        stages=tuple(structs.replace(stage, start=stage.start + offset) for stage in spec.stages),
    )
    compared = None if each.compared_with is None else each.compared_with + member.shift
    return structs.replace(each, specialization=spec, compared_with=compared)


def _findings(parts: Iterable[FunctionReport]) -> list[Finding]:
    """One finding for what several processes did alike, in the words of the one in which it cost most."""
    alike: dict[tuple[str, str | None], list[Finding]] = {}
    for part in parts:
        own: dict[tuple[str, str | None], int] = {}
        for finding in part.findings:
            at = own[finding.code, finding.path] = own.get((finding.code, finding.path), 0) + 1
            alike.setdefault((f"{finding.code} {at}", finding.path), []).append(finding)
    found = []
    for group in alike.values():
        worst = max(group, key=lambda finding: finding.saves_s)
        text = worst.text if len(group) == 1 else f"{worst.text} (and likewise in {_others(len(group) - 1)})"
        found.append(structs.replace(worst, text=text, saves_s=sum(finding.saves_s for finding in group)))
    return sorted(found, key=lambda finding: (not finding.wrong, -finding.saves_s))


def _others(count: int) -> str:
    return "1 more process" if count == 1 else f"{count:,} more processes"


def _totals(reports: Sequence[Report], first: float) -> Totals:
    """Sums; the wall time is that from the first beginning to the last end."""
    each = [report.totals for report in reports]
    ends = [report.environment.started - first + report.totals.seconds for report in reports]
    return Totals(
        calls=sum(totals.calls for totals in each),
        traces=sum(totals.traces for totals in each),
        lowerings=sum(totals.lowerings for totals in each),
        compiles=sum(totals.compiles for totals in each),
        persistent_cache_hits=sum(totals.persistent_cache_hits for totals in each),
        trace_s=sum(totals.trace_s for totals in each),
        lower_s=sum(totals.lower_s for totals in each),
        compile_s=sum(totals.compile_s for totals in each),
        unattributed_s=sum(totals.unattributed_s for totals in each),
        seconds=max(ends),
    )
