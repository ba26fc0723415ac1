"""What comparing two recordings concludes: which functions are the same, and what became of their work."""

from __future__ import annotations

from typing import Literal

import msgspec

from whyjit.model.failure import Failure
from whyjit.model.finding import Finding, FunctionReport, Totals
from whyjit.model.recording import Environment

State = Literal["gone", "new", "changed", "same"]
# What held two functions together: file and qualified name; that name in a file that was renamed, or in another file;
# or nothing more than that several have one name, and are counted together.
Match = Literal["name", "renamed-file", "moved", "together", "none"]


class Counts(msgspec.Struct, frozen=True):
    """What was done for a function, or for one of its causes.

    The counts are kept apart. `seconds` are of tracing (without jitted functions inside), lowering, compiling, and
    loading executables.
    """

    specializations: int = 0
    calls: int = 0
    nested_calls: int = 0
    traces: int = 0
    lowerings: int = 0
    compiles: int = 0
    persistent_cache_hits: int = 0
    seconds: float = 0.0

    @property
    def work(self) -> tuple[int, ...]:
        """The counts of what JAX did: they do not depend on how fast the machine was."""
        return (self.specializations, self.traces, self.lowerings, self.compiles, self.persistent_cache_hits)


class CauseShift(msgspec.Struct, frozen=True):
    """One cause of specializations of a function: the kind and path of the most telling change, before and after."""

    kind: str
    path: str | None
    before: Counts
    after: Counts

    @property
    def state(self) -> State:
        """What became of it, by its counts."""
        return state_of(self.before, self.after)


class FindingShift(msgspec.Struct, frozen=True):
    """One finding of a function. It has changed when what it says has, apart from seconds, which differ by run."""

    code: str
    path: str | None
    state: State
    before: Finding | None
    after: Finding | None


class FunctionShift(msgspec.Struct, frozen=True):
    """One function in both recordings, or in one of them.

    `before` and `after` hold one function each, or none; where functions of one name could not be told apart they hold
    all of them, and `match` is "together".
    """

    before: tuple[FunctionReport, ...]
    after: tuple[FunctionReport, ...]
    match: Match
    counts_before: Counts
    counts_after: Counts
    causes: tuple[CauseShift, ...]
    findings: tuple[FindingShift, ...]

    @property
    def known(self) -> FunctionReport:
        """The function as it is named to people: as it was last."""
        return (self.after or self.before)[0]

    @property
    def state(self) -> State:
        """What became of it, by its counts and findings."""
        if not self.before:
            return "new"
        if not self.after:
            return "gone"
        if state_of(self.counts_before, self.counts_after) != "same":
            return "changed"
        causes = all(cause.state == "same" for cause in self.causes)
        return "same" if causes and all(finding.state == "same" for finding in self.findings) else "changed"


class FailureShift(msgspec.Struct, frozen=True):
    """An error of tracing that is in one of the recordings, or in both."""

    state: State
    failure: Failure


class Side(msgspec.Struct, frozen=True):
    """One of the two recordings. `complete` is False where it ended early, `processes` are counted together in it."""

    environment: Environment
    totals: Totals
    complete: bool
    gaps: int
    processes: int = 1

    @property
    def lost_s(self) -> float:
        """Seconds of tracing, lowering and compiling, for functions that were seen and for others."""
        totals = self.totals
        return totals.trace_s + totals.lower_s + totals.compile_s + totals.unattributed_s


class Comparison(msgspec.Struct, frozen=True):
    """Two recordings beside each other. Functions stand in the order of what changed most, in seconds.

    `differences` are what else differs between the runs, such as JAX's version, by name, with both texts.
    """

    before: Side
    after: Side
    functions: tuple[FunctionShift, ...]
    failures: tuple[FailureShift, ...]
    differences: tuple[tuple[str, str, str], ...]


def state_of(before: Counts, after: Counts) -> State:
    """What became of a piece of work, by its counts."""
    if before.work == after.work:
        return "same"
    if not any(before.work):
        return "new"
    return "changed" if any(after.work) else "gone"
