"""A run of several processes as one: each one's counts, and the first program in which they differ.

Processes of one computation must stage the same programs in the same order. Recordings are taken one at a time, so that
thousands of them fit: of each, only a row is kept, and of the first one its programs, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from whyjit.analyse.difference import changes
from whyjit.analyse.explain import explain
from whyjit.model.finding import Change
from whyjit.model.recording import Environment, Function, Specialization

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whyjit.model.recording import Recording, StageKind

# As the recorder marks the placement of an array that has parts in other processes.
_ACROSS = " across processes"


class ProcessRow(msgspec.Struct, frozen=True):
    """One process: who it is, its counts, and the seconds it spent on tracing, lowering and compiling.

    `findings` and `needless_s`, what these would save, are None where its recording was counted and not analysed.
    """

    environment: Environment
    calls: int
    traces: int
    lowerings: int
    compiles: int
    persistent_cache_hits: int
    lost_s: float
    seconds: float
    complete: bool
    programs: int
    findings: int | None = None
    needless_s: float | None = None


class Staged(msgspec.Struct, frozen=True):
    """One program that a process lowered: its function and specialization, None where the process had lowered all."""

    process: int
    function: Function
    specialization: Specialization


class Divergence(msgspec.Struct, frozen=True):
    """The first program in which a process differs from the first process.

    `at` counts the programs from 1. One of `first` and `other` is None where that process staged no more. `changes` are
    what differs in the call, where it is one function's; of one that was staged alone, what differs from the call for
    which its function was staged last. `others` are all processes that differ somewhere. `across` tells that only
    programs on arrays across processes were compared; otherwise all of the user's functions were.
    """

    at: int
    first: Staged | None
    other: Staged | None
    first_process: int
    other_process: int
    changes: tuple[Change, ...]
    others: tuple[int, ...]
    across: bool


class Together(msgspec.Struct, frozen=True):
    """All processes of a run, and where they part, if they do.

    `unread` counts recordings that are there and not in the rows: damaged ones, or all where there are too many.
    """

    rows: tuple[ProcessRow, ...]
    divergence: Divergence | None
    unread: int = 0

    @property
    def count(self) -> int:
        """How many processes were recorded."""
        return len(self.rows) + self.unread

    @property
    def numbered(self) -> bool:
        """Whether `jax.distributed` numbered them; workers that a numbered process started have no numbers."""
        return len({row.environment.process_index for row in self.rows}) > 1

    @property
    def distinct(self) -> bool:
        """Whether each has a number of its own."""
        return len({row.environment.process_index for row in self.rows}) == len(self.rows)


def together(recordings: Iterable[Recording], *, analysed: bool = False) -> Together:
    """The processes of a run, in the order given; the first one is what the others are compared with.

    Processes are compared only where `jax.distributed` has numbered them: workers that load data stage what they like.
    With `analysed` each recording is also searched for findings, which takes longer.
    """
    rows: list[ProcessRow] = []
    first: list[Staged] | None = None
    across = False
    earliest: tuple[_Parting, int] | None = None
    others: list[int] = []
    seen: set[int] = set()
    for recording in recordings:
        rows.append(_analysed(recording) if analysed else _row(recording))
        index = recording.environment.process_index
        if first is None:
            across = any(_is_across(spec) for spec in recording.specializations)
            first = list(_staged(recording, across=across))
            seen.add(index)
            continue
        if index in seen:  # not a process of its own in the computation
            continue
        seen.add(index)
        parted = _part(first, list(_staged(recording, across=across)))
        if parted is not None:
            others.append(index)
            if earliest is None or parted.at < earliest[0].at:
                earliest = parted, index
    if earliest is None:
        return Together(tuple(rows), None)
    parting, index = earliest
    divergence = Divergence(
        parting.at + 1,
        parting.first,
        parting.other,
        rows[0].environment.process_index,
        index,
        parting.changes,
        tuple(others),
        across,
    )
    return Together(tuple(rows), divergence)


class _Parting(NamedTuple):
    """Where two processes part: the place, the program on each side, and what differs in the calls."""

    at: int
    first: Staged | None
    other: Staged | None
    changes: tuple[Change, ...]


def _staged(recording: Recording, *, across: bool) -> Iterator[Staged]:
    """The programs that a process lowered, in their order: those that span processes, or else all of the user's."""
    functions = {function.id: function for function in recording.functions}
    index = recording.environment.process_index
    found = [
        (stage.start, spec)
        for spec in recording.specializations
        for stage in spec.stages
        if stage.kind == "lower" and spec.function in functions
    ]
    found.sort(key=lambda one: one[0])
    for _, spec in found:
        function = functions[spec.function]
        if _is_across(spec) if across else function.origin == "user":
            yield Staged(index, function, spec)


def _is_across(spec: Specialization) -> bool:
    return any(leaf.sharding.endswith(_ACROSS) for leaf in spec.signature.leaves)


def _part(first: list[Staged], other: list[Staged]) -> _Parting | None:
    """The first program that differs. One that only one process staged is compared with its function's last before."""
    for at, (ours, theirs) in enumerate(zip(first, other, strict=False)):
        if not _same(ours, theirs):
            return _Parting(at, ours, theirs, ())
        if _program(ours) != _program(theirs):
            return _Parting(at, ours, theirs, changes(ours.specialization, theirs.specialization))
    if len(first) == len(other):
        return None
    at = min(len(first), len(other))
    longer = max(first, other, key=len)
    before = next((one for one in reversed(longer[:at]) if _same(one, longer[at])), None)
    changed = changes(before.specialization, longer[at].specialization) if before is not None else ()
    return _Parting(at, first[at] if at < len(first) else None, other[at] if at < len(other) else None, changed)


def _same(ours: Staged, theirs: Staged) -> bool:
    """Whether two programs are of one function; folders may differ from host to host."""
    return _function(ours) == _function(theirs)


def _function(staged: Staged) -> tuple[str, str, int, str]:
    function = staged.function
    return function.qualname, function.file.rpartition("/")[2], function.line, staged.specialization.operation


def _program(staged: Staged) -> tuple[object, ...]:
    """What must be equal in all processes; arrays that are closed over are not known by their contents."""
    spec = staged.specialization
    print_ = spec.fingerprint
    leaves = tuple((leaf.path, leaf.shape, leaf.dtype) for leaf in spec.signature.leaves)
    return (print_.whole if print_ else None, leaves)


def _analysed(recording: Recording) -> ProcessRow:
    row = _row(recording)
    functions = explain(recording).functions
    saved = sum(min(each.lost_s, sum(finding.saves_s for finding in each.findings)) for each in functions)
    count = sum(len(each.findings) for each in functions)
    return msgspec.structs.replace(row, findings=count, needless_s=min(row.lost_s, saved))


def _row(recording: Recording) -> ProcessRow:
    def count(kind: StageKind) -> int:
        specs = sum(stage.kind == kind for spec in recording.specializations for stage in spec.stages)
        return specs + sum(stage.kind == kind for stage in recording.unattributed)

    stages = [stage for spec in recording.specializations for stage in spec.stages]
    lost = sum(stage.own if stage.kind == "trace" else stage.seconds for stage in stages)
    return ProcessRow(
        recording.environment,
        sum(spec.calls for spec in recording.specializations),
        count("trace"),
        count("lower"),
        count("compile"),
        count("cache_load"),
        lost + sum(stage.seconds for stage in recording.unattributed),
        recording.seconds,
        recording.complete,
        sum(stage.kind == "lower" for stage in stages),
    )
