"""The persistent compilation cache between runs: what a compile was looked for under, and why it was not found.

A key has components; two looks with equal components have one key. Which of them differ is read from two recordings,
never from the cache's files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from whyjit.analyse.delta import program_delta
from whyjit.analyse.difference import changes
from whyjit.model.disk import Disk
from whyjit.model.finding import Change, Delta
from whyjit.model.recording import Function, Specialization, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.model.recording import Recording

Status = Literal["found", "unwritten", "key", "gone", "elsewhere", "program", "new", "off"]
PROGRAM = "computation"
_AS_READ = "compile_options as read"
_NEARNESS: tuple[Delta, ...] = ("identical", "literals", "shapes", "dtypes", "structure")
_LOOKED_AT = 200
OVERLAPPED = "not by the time that this one was looked for, for the runs overlapped"
# The statuses of compiles that the cache could have spared.
SPARED: frozenset[Status] = frozenset({"unwritten", "key", "gone", "elsewhere"})


class Look(msgspec.Struct, frozen=True):
    """One compile, or one load from the cache, and the function it was for; `moment` is when it began, if known."""

    function: Function
    specialization: Specialization
    stage: Stage
    process: int = 0
    moment: float | None = None

    @property
    def disk(self) -> Disk | None:
        """What the cache did for it."""
        return self.stage.disk

    @property
    def name(self) -> str:
        """The function's name, or the operation's and the line."""
        operation = self.specialization.operation
        return f"{operation} at {self.function.name}" if operation else self.function.name


class Verdict(msgspec.Struct, frozen=True):
    """What became of one compile of the later run.

    "found": loaded from the cache. "unwritten": the earlier run compiled the same and wrote no entry, `reason` says
    why. "key": the same program under another key, `differs` says in what. "gone": an entry was written and is not
    there now. "elsewhere": the runs use different directories. "program": another program of the same function, with
    its `delta` and `changes`. "new": the earlier run compiled nothing for this function. "off": no cache was in use.
    `seconds` are those of the compile or the load; `earlier_s` those of the earlier run's compile.
    """

    look: Look
    status: Status
    seconds: float
    earlier_s: float | None = None
    reason: str = ""
    differs: tuple[tuple[str, str, str], ...] = ()
    delta: Delta | None = None
    changes: tuple[Change, ...] = ()


class Comparison(msgspec.Struct, frozen=True):
    """All compiles and loads of a later run, judged against an earlier one. Seconds are sums.

    `saved_s` is what the loads saved, as far as the earlier compiles are known; `spared_s` what the compiles took that
    the cache could have spared.
    """

    verdicts: tuple[Verdict, ...]
    earlier_used: bool
    later_used: bool
    saved_s: float
    spared_s: float


def looks(recording: Recording) -> list[Look]:
    """Every compile and load of a recording."""
    functions = {function.id: function for function in recording.functions}
    process, began = recording.environment.process_index, recording.environment.started
    return [
        Look(functions[spec.function], spec, stage, process, began + stage.start if began else None)
        for spec in recording.specializations
        for stage in spec.stages
        if stage.kind in ("compile", "cache_load") and spec.function in functions
    ]


class Seen:
    """What was compiled before, found by key, by program, and by function."""

    def __init__(self, before: Iterable[Look] = ()) -> None:
        self._by_key: dict[tuple[tuple[str, str], ...], list[Look]] = {}
        self._by_program: dict[tuple[str, str], list[Look]] = {}
        self._by_function: dict[tuple[str, str], list[Look]] = {}
        for look in before:
            self.add(look)

    def add(self, look: Look) -> None:
        """One more compile or load."""
        self._by_function.setdefault(_function(look), []).append(look)
        if look.disk is not None:
            self._by_key.setdefault(_key(look), []).append(look)
            self._by_program.setdefault(_program(look), []).append(look)

    def judge(self, look: Look) -> Verdict:
        """Why one compile was found on disk or was not, given all that was compiled before."""
        disk, seconds = look.disk, look.stage.seconds
        if disk is None:
            return Verdict(look, "off", seconds)
        same = self._by_key.get(_key(look), [])
        if disk.outcome == "found":
            compiled = [other.stage.seconds for other in same if other.stage.kind == "compile"]
            return Verdict(look, "found", seconds, max(compiled, default=None))
        if same:
            return _same_key(look, disk, same)
        alike = self._by_program.get(_program(look), [])
        if alike:
            each = (_another_key(look, disk, other) for other in alike[-_LOOKED_AT:])
            return min(each, key=lambda verdict: len(verdict.differs))
        ours = self._by_function.get(_function(look), [])
        return _another_program(look, ours[-_LOOKED_AT:]) if ours else Verdict(look, "new", seconds)


def compare(earlier: Iterable[Recording], later: Iterable[Recording]) -> Comparison:
    """Judge each compile of a later run by what an earlier run did; a run may be of several processes."""
    before = [look for recording in earlier for look in looks(recording)]
    after = [look for recording in later for look in looks(recording)]
    seen = Seen(before)
    verdicts = sorted(map(seen.judge, after), key=lambda verdict: -verdict.seconds)
    return Comparison(
        tuple(verdicts),
        any(look.disk for look in before),
        any(look.disk for look in after),
        sum(v.earlier_s - v.seconds for v in verdicts if v.status == "found" and v.earlier_s is not None),
        sum(verdict.seconds for verdict in verdicts if verdict.status in SPARED),
    )


def _key(look: Look) -> tuple[tuple[str, str], ...]:
    """What an entry is found by: the name that JAX compiles under, and the components."""
    named = ("name", look.specialization.operation or look.function.name)
    return (named, *((name, text) for name, text in (look.disk.parts if look.disk else ()) if name != _AS_READ))


def _program(look: Look) -> tuple[str, str]:
    """The program and the name that JAX compiled it under."""
    parts = dict(look.disk.parts if look.disk else ())
    return look.specialization.operation or look.function.name, parts.get(PROGRAM, "")


def _function(look: Look) -> tuple[str, str]:
    return look.name, look.function.file.replace("\\", "/").rpartition("/")[2]


def _same_key(look: Look, disk: Disk, same: list[Look]) -> Verdict:
    seconds = look.stage.seconds
    last = same[-1]
    written = [other for other in same if other.disk is not None and other.disk.outcome in ("written", "found")]
    if not written:
        return Verdict(look, "unwritten", seconds, last.stage.seconds, last.disk.reason if last.disk else "")
    kept = [other.disk for other in written if other.disk is not None and not _later(other, look)]
    if not kept:
        return Verdict(look, "unwritten", seconds, last.stage.seconds, OVERLAPPED)
    elsewhere = sorted({other.directory for other in kept})
    if disk.directory not in elsewhere:
        return Verdict(look, "elsewhere", seconds, reason=f"the earlier run's cache is {', '.join(elsewhere)}")
    return Verdict(look, "gone", seconds, reason="an entry was written, and it was not there any more")


def _later(other: Look, look: Look) -> bool:
    """Whether a compile wrote its entry only after another had been looked for."""
    if other.moment is None or look.moment is None:
        return False
    return other.moment + other.stage.seconds > look.moment


def _another_key(look: Look, disk: Disk, other: Look) -> Verdict:
    was, now = dict(other.disk.parts if other.disk else ()), dict(disk.parts)
    differs = tuple(
        (name, *_told(name, was, now)) for name in now if name != _AS_READ and was.get(name, "") != now[name]
    )
    return Verdict(look, "key", look.stage.seconds, other.stage.seconds, differs=differs)


def _told(name: str, was: dict[str, str], now: dict[str, str]) -> tuple[str, str]:
    """The two values of a component, of flags and options only what is not in both."""
    if name == "XLA flags":
        return _unshared(was.get(name, ""), now[name], None, " ")
    if name == "compile_options":
        return _unshared(was.get(_AS_READ, ""), now.get(_AS_READ, ""), "; ", "; ")
    return was.get(name, ""), now[name]


def _unshared(was: str, now: str, separator: str | None, joint: str) -> tuple[str, str]:
    old, new = was.split(separator), now.split(separator)
    return (
        joint.join(part for part in old if part and part not in new),
        joint.join(part for part in new if part and part not in old),
    )


def _another_program(look: Look, ours: list[Look]) -> Verdict:
    """The nearest of the function's programs in the earlier run, by how little of the program differs."""

    def rank(other: Look) -> int:
        delta, _ = program_delta(other.specialization.fingerprint, look.specialization.fingerprint)
        return _NEARNESS.index(delta) if delta in _NEARNESS else len(_NEARNESS)

    nearest = min(ours, key=rank)
    delta, _ = program_delta(nearest.specialization.fingerprint, look.specialization.fingerprint)
    changed = changes(nearest.specialization, look.specialization)
    told = tuple(change for change in changed if change.kind != "function" or change.path is not None)
    return Verdict(look, "program", look.stage.seconds, nearest.stage.seconds, delta=delta, changes=told)
