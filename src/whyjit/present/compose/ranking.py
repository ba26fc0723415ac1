"""The ranked lines of a run: user functions, and library code under the user's line that called it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.model.finding import Explained, Finding, FunctionReport, Report
    from whyjit.model.recording import Specialization
    from whyjit.model.source import Location

# The share of the time spent below which what could be saved is not worth a reader's time.
NEGLIGIBLE = 0.01

LineKind = Literal["function", "library", "eager"]


class Ranked(msgspec.Struct, frozen=True):
    """One line of the ranking.

    `names` are the functions in it, the most costly first; `sites` are the lines that called them. `inside_s` is the
    part of `lost_s` that was spent on library functions traced within it.
    """

    kind: LineKind
    names: tuple[str, ...]
    functions: tuple[FunctionReport, ...]
    calls: int
    nested_calls: int
    traces: int
    lowerings: int
    compiles: int
    lost_s: float
    inside_s: float
    sites: tuple[Location, ...]
    findings: tuple[Finding, ...]

    @property
    def saves_s(self) -> float:
        """What its findings would save together: never more than was lost."""
        return min(self.lost_s, sum(finding.saves_s for finding in self.findings))

    @property
    def urgent(self) -> bool:
        """Whether a finding says that results are wrong."""
        return any(finding.wrong for finding in self.findings)


def spent(specialization: Specialization) -> float:
    """Seconds of a specialization's own work: traces (without jitted functions inside), lowerings, compiles, loads."""
    return sum(stage.own if stage.kind == "trace" else stage.seconds for stage in specialization.stages)


def rank(report: Report) -> tuple[Ranked, ...]:
    """All lines of a report: wrong results first, then by time lost."""
    owners = _Owners(report.functions)
    inside: dict[int, float] = {}
    groups: dict[tuple[str, int], _Group] = {}
    for function in report.functions:
        if function.function.origin == "user":
            continue
        for explained in function.specializations:
            specialization = explained.specialization
            owner = owners.of(specialization)
            if owner.function.function.origin == "user":
                inside[owner.function.function.id] = inside.get(owner.function.function.id, 0.0) + spent(specialization)
            else:
                site = owner.site
                groups.setdefault((site.file, site.line), _Group(site)).add(function, specialization)
    lines = [
        _user_line(function, inside.get(function.function.id, 0.0))
        for function in report.functions
        if function.function.origin == "user"
    ]
    _place_findings(report, groups)
    lines += _by_function([group.line() for group in groups.values()])
    return tuple(sorted(lines, key=lambda line: (not line.urgent, -line.lost_s, line.names)))


def inside(report: Report, function: FunctionReport) -> float:
    """The seconds that the ranking adds to a user's function for library functions traced inside it."""
    some = (line for line in rank(report) if line.kind == "function")
    return next((line.inside_s for line in some if line.functions[0].function.id == function.function.id), 0.0)


def first_of(lines: Iterable[Ranked]) -> Ranked | None:
    """The line to start with: one whose results are wrong, else the one whose findings save most."""
    found = [line for line in lines if line.findings]
    return max(found, key=lambda line: (line.urgent, line.saves_s), default=None)


def _user_line(function: FunctionReport, inside: float) -> Ranked:
    return Ranked(
        kind="function",
        names=(function.function.name,),
        functions=(function,),
        calls=function.calls,
        nested_calls=function.nested_calls,
        traces=function.traces,
        lowerings=function.lowerings,
        compiles=function.compiles,
        lost_s=function.lost_s + inside,
        inside_s=inside,
        sites=sites_of(function.specializations),
        findings=function.findings,
    )


def sites_of(specializations: Iterable[Explained]) -> tuple[Location, ...]:
    """The lines that made the specializations, the most costly first."""
    costs: dict[tuple[str, int], float] = {}
    places: dict[tuple[str, int], Location] = {}
    for explained in specializations:
        site = explained.specialization.call_site
        if site.file:
            key = (site.file, site.line)
            costs[key] = costs.get(key, 0.0) + spent(explained.specialization)
            places.setdefault(key, site)
    return tuple(places[key] for key in sorted(costs, key=lambda key: -costs[key]))


def _by_function(lines: Iterable[Ranked]) -> list[Ranked]:
    """Op-by-op work at several lines of one function of the user's is one line here: one jit is its remedy."""
    found: dict[tuple[str, str] | int, list[Ranked]] = {}
    for line in lines:
        site = line.sites[0] if line.kind == "eager" and line.sites else None
        whole = site is not None and not site.function.rpartition(".")[2].startswith("<")
        found.setdefault((site.file, site.function) if site and whole else id(line), []).append(line)
    return [_together(some) for some in found.values()]


def _together(some: list[Ranked]) -> Ranked:
    if len(some) == 1:
        return some[0]
    some = sorted(some, key=lambda line: (-line.saves_s, -line.lost_s))
    return Ranked(
        kind="eager",
        names=tuple(dict.fromkeys(name for line in some for name in line.names)),
        functions=tuple({one.function.id: one for line in some for one in line.functions}.values()),
        calls=sum(line.calls for line in some),
        nested_calls=sum(line.nested_calls for line in some),
        traces=sum(line.traces for line in some),
        lowerings=sum(line.lowerings for line in some),
        compiles=sum(line.compiles for line in some),
        lost_s=sum(line.lost_s for line in some),
        inside_s=0.0,
        sites=tuple(site for line in some for site in line.sites),
        findings=tuple(sorted((one for line in some for one in line.findings), key=lambda one: -one.saves_s)),
    )


class _Owner(NamedTuple):
    """The function whose line takes a specialization's time, and the line from which that function was called."""

    function: FunctionReport
    site: Location


class _Owners:
    """Looks up who caused a specialization: the nearest user function being traced, else the outermost one."""

    def __init__(self, functions: Iterable[FunctionReport]) -> None:
        self._entries: dict[tuple[int, int], tuple[FunctionReport, Specialization]] = {}
        for function in functions:
            for explained in function.specializations:
                made = explained.specialization
                self._entries[made.function, made.number] = (function, made)

    def of(self, specialization: Specialization) -> _Owner:
        function, made = self._entries[specialization.function, specialization.number]
        seen = {(made.function, made.number)}
        while made.parent is not None and made.parent in self._entries and made.parent not in seen:
            seen.add(made.parent)
            function, made = self._entries[made.parent]
            if function.function.origin == "user":
                break
        return _Owner(function, made.call_site)


class _Group:
    """Library and op-by-op work under one line of the user's."""

    def __init__(self, site: Location) -> None:
        self.site = site
        self.functions: dict[int, FunctionReport] = {}
        self.costs: dict[int, float] = {}
        self._names: dict[str, float] = {}
        self.findings: list[Finding] = []
        self._stages = {"trace": 0, "lower": 0, "compile": 0, "cache_load": 0}
        self._calls = 0
        self._nested = 0

    def add(self, function: FunctionReport, specialization: Specialization) -> None:
        key = function.function.id
        self.functions[key] = function
        cost = spent(specialization)
        self.costs[key] = self.costs.get(key, 0.0) + cost
        name = specialization.operation or function.function.name
        self._names[name] = self._names.get(name, 0.0) + cost
        for stage in specialization.stages:
            self._stages[stage.kind] += 1
        self._calls += specialization.calls
        self._nested += specialization.nested_calls

    def line(self) -> Ranked:
        order = sorted(self.functions, key=lambda key: -self.costs[key])
        own = sum(cost for key, cost in self.costs.items() if self.functions[key].function.origin == "eager")
        eager = 2 * own >= sum(self.costs.values())
        return Ranked(
            kind="eager" if eager else "library",
            names=tuple(sorted(self._names, key=lambda name: -self._names[name])),
            functions=tuple(self.functions[key] for key in order),
            calls=self._calls,
            nested_calls=self._nested,
            traces=self._stages["trace"],
            lowerings=self._stages["lower"],
            compiles=self._stages["compile"],
            lost_s=sum(self.costs.values()),
            inside_s=0.0,
            sites=(self.site,) if self.site.file else (),
            findings=tuple(sorted(self.findings, key=lambda finding: -finding.saves_s)),
        )


def _place_findings(report: Report, groups: dict[tuple[str, int], _Group]) -> None:
    """Puts each finding about library code under the line it names, else under the line where most time went."""
    for function in report.functions:
        if function.function.origin == "user":
            continue
        key = function.function.id
        for finding in function.findings:
            location = finding.location
            group = groups.get((location.file, location.line)) if location else None
            if group is None:
                holders = [group for group in groups.values() if key in group.functions]
                group = max(holders, key=lambda group: group.costs[key], default=None)
            if group is not None:
                group.findings.append(finding)
