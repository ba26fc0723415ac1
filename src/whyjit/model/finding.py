"""What analysis concludes: causes of specializations, program deltas, and findings people can act on."""

from __future__ import annotations

from typing import Literal

import msgspec

from whyjit.model.failure import Failure
from whyjit.model.program import Constant, Fingerprint
from whyjit.model.recording import Environment, Function, Gap, Specialization
from whyjit.model.source import Location

Delta = Literal["identical", "literals", "shapes", "dtypes", "structure"]
Evidence = Literal["PROVEN", "TESTED", "SUGGESTED"]


class Change(msgspec.Struct, frozen=True):
    """One factor that differs from the compared specialization. `path` is None where nothing can be named."""

    kind: str
    path: str | None
    old: str
    new: str
    note: str = ""


class Cause(msgspec.Struct, frozen=True):
    """Why a specialization came to be: the kind of its most telling change, all changes, and a sentence."""

    kind: str
    changes: tuple[Change, ...] = ()
    text: str = ""


class Explained(msgspec.Struct, frozen=True):
    """A specialization with its cause, measured against the nearest earlier one."""

    specialization: Specialization
    cause: Cause
    compared_with: int | None = None
    delta: Delta | None = None
    delta_note: str = ""


class Finding(msgspec.Struct, frozen=True):
    """One problem of one function group: a code with a page, the evidence in numbers, what to do, what it would save.

    `saves_s` is the seconds spent on traces, lowerings and compiles that the remedy would have made unnecessary. With
    `wrong` it says that results may be wrong, and ranks before lost time.
    """

    code: str
    path: str | None
    text: str
    remedy: str
    evidence: Evidence = "SUGGESTED"
    saves_s: float = 0.0
    location: Location | None = None
    ignore: str = ""
    wrong: bool = False


class FunctionReport(msgspec.Struct, frozen=True):
    """A function group with its explained specializations and findings. Seconds are sums over its stages."""

    function: Function
    specializations: tuple[Explained, ...]
    findings: tuple[Finding, ...]
    calls: int
    nested_calls: int
    traces: int
    lowerings: int
    compiles: int
    persistent_cache_hits: int
    misses: int
    trace_s: float
    trace_own_s: float
    lower_s: float
    compile_s: float

    @property
    def lost_s(self) -> float:
        """Seconds of tracing (without jitted functions inside), lowering and compiling."""
        return self.trace_own_s + self.lower_s + self.compile_s


class Totals(msgspec.Struct, frozen=True):
    """Sums over all functions. The five counts are kept apart; seconds count no moment twice."""

    calls: int
    traces: int
    lowerings: int
    compiles: int
    persistent_cache_hits: int
    trace_s: float
    lower_s: float
    compile_s: float
    unattributed_s: float
    seconds: float = 0.0


class Report(msgspec.Struct, frozen=True):
    """The analysis of one recording; functions are ordered by time lost, findings by what they save."""

    environment: Environment
    gaps: tuple[Gap, ...]
    totals: Totals
    functions: tuple[FunctionReport, ...]
    failures: tuple[Failure, ...] = ()
    complete: bool = True


__all__ = [
    "Cause",
    "Change",
    "Constant",
    "Delta",
    "Evidence",
    "Explained",
    "Finding",
    "Fingerprint",
    "FunctionReport",
    "Report",
    "Totals",
]
