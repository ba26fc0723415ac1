"""The ledger of one process while it is being written: functions, their specializations, and rows of calls.

Hits arrive through `JitState`, one per jitted callable, which must cost next to nothing; everything else is rare and
goes through `Ledger` under its lock. Live objects are never stored: what is remembered of them is text, numbers, and
weak references.
"""

from __future__ import annotations

import bisect
import itertools
import threading
import time
from typing import TYPE_CHECKING, Any

from whyjit.model.bounds import USUAL, Bounds
from whyjit.model.recording import Function, Row, Specialization, Stage
from whyjit.model.stages import Sums
from whyjit.observe.functions import FURTHER, further

if TYPE_CHECKING:
    from whyjit.model.program import Constant, Fingerprint
    from whyjit.model.recording import Body, Capture, RunsOnce, Sample, Unrolled
    from whyjit.model.signature import Leaf, Signature
    from whyjit.model.source import Location
    from whyjit.observe.functions import Identity
    from whyjit.observe.twins import Zero

ROWS_KEPT = 200_000
MAKERS_KEPT = 50_000
_YOUNG = 3


class SpecState:
    """One specialization while it lives; becomes a `model.recording.Specialization`."""

    __slots__ = (
        "base",
        "bodies",
        "call_site",
        "calls",
        "captures",
        "constants",
        "earlier",
        "error",
        "fingerprint",
        "function",
        "key",
        "looks",
        "maker",
        "misses",
        "nested_calls",
        "notes",
        "number",
        "operation",
        "outputs",
        "parent",
        "pending",
        "program",
        "program_alive",
        "samples",
        "signature",
        "slow_path",
        "stages",
        "started",
        "summed",
        "thread",
        "touched",
        "unrolled",
        "within",
        "zeros",
    )

    def __init__(self, function: FunctionState, number: int, signature: Signature, call_site: Location) -> None:
        self.function = function
        self.number = number
        self.signature = signature
        self.key: int | None = None
        self.call_site = call_site
        self.base: SpecState | None = None
        self.pending: Any = None
        self.maker = 1
        self.captures: tuple[Capture, ...] = ()
        self.stages: list[Stage] = []
        self.parent: tuple[int, int] | None = None
        self.thread = 0
        self.started = 0.0
        self.fingerprint: Fingerprint | None = None
        self.program = ""
        self.program_alive: Any = None
        self.constants: tuple[Constant, ...] = ()
        self.outputs: tuple[Leaf, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.error = ""
        self.earlier = False
        self.operation = ""
        self.slow_path = ""
        self.zeros: tuple[Zero, ...] = ()
        self.looks = 0
        self.calls = 0
        self.nested_calls = 0
        self.misses = 0
        self.bodies: tuple[Body, ...] = ()
        self.within = -1
        self.unrolled: tuple[Unrolled, ...] = ()
        self.samples: tuple[Sample, ...] = ()
        self.touched = True
        self.summed = False

    def count(self, kind: str) -> int:
        """How many stages of a kind it has had."""
        return sum(stage.count for stage in self.stages if stage.kind == kind)

    def freeze(self) -> Specialization:
        """The value it has now. One that was compiled without a trace has the program of the one it was made from."""
        if self.summed:
            return self._sum()
        staged = self.base or self
        return Specialization(
            function=self.function.id,
            number=self.number,
            signature=self.signature,
            call_site=self.call_site,
            maker=self.maker,
            captures=self.captures,
            stages=tuple(self.stages),
            parent=self.parent,
            thread=self.thread,
            started=self.started,
            fingerprint=staged.fingerprint,
            program=staged.program,
            constants=self.constants,
            outputs=self.outputs,
            notes=self.notes,
            error=self.error,
            earlier=self.earlier,
            operation=self.operation,
            slow_path=self.slow_path,
            calls=self.calls,
            nested_calls=self.nested_calls,
            misses=self.misses,
            bodies=self.bodies,
            within=self.within,
            unrolled=staged.unrolled,
            samples=self.samples,
        )

    def _sum(self) -> Specialization:
        """What many have in common: their counts, and that they happened."""
        return Specialization(
            function=self.function.id,
            number=self.number,
            signature=self.signature,
            call_site=self.call_site,
            stages=tuple(self.stages),
            started=self.stages[0].start if self.stages else self.started,
            notes=("summed",),
            operation=self.operation,
            calls=self.calls,
            nested_calls=self.nested_calls,
            misses=self.misses,
        )


class FunctionState:
    """One function group while it lives."""

    __slots__ = (
        "bodies",
        "closed",
        "compiles",
        "dropped",
        "id",
        "identity",
        "keys",
        "makers",
        "more",
        "once",
        "open",
        "owner",
        "specs",
        "traces",
        "watched",
    )

    def __init__(self, number: int, identity: Identity) -> None:
        self.id = number
        self.identity = identity
        self.specs: list[SpecState] = []
        self.makers: dict[int, int] = {}
        self.keys: dict[int, SpecState] = {}
        self.traces = 0
        self.compiles = 0
        self.open: list[Any] | None = None
        self.owner: JitState | None = None
        self.closed: list[list[Any]] = []
        self.dropped = 0
        self.more: SpecState | None = None
        self.bodies: dict[str, int] = {}
        self.watched = False
        self.once: tuple[RunsOnce, ...] | None = None

    def freeze(self) -> Function:
        """The value it has now."""
        identity = self.identity
        return Function(
            self.id,
            identity.name,
            identity.qualname,
            identity.file,
            identity.line,
            identity.origin,
            identity.kind,
            tuple(self.bodies.items()),
            self.once or (),
        )

    def maker(self, token: int) -> int:
        """The number of a function object within the group."""
        number = self.makers.get(token, len(self.makers) + 1)
        if number <= MAKERS_KEPT:
            self.makers[token] = number
        return number


class JitState:
    """One jitted callable: which of its specializations a hit belongs to, and the row its hits add to.

    `code` and `lasti` name the instruction the open row's calls come from; `hits` are calls of that row not yet counted
    into it. The hook compares and adds, without a lock: Python switches threads only at calls and jumps, and there is
    none between reading and writing `hits`. `operation` names an operation of JAX's own; its hits are counted by line.
    With `wrapped` another package's wrapper stands between the user's arguments and those that JAX gets. `keys` lead
    from a whole key's hash to its specialization.
    """

    __slots__ = ("code", "function", "hits", "keys", "lasti", "operation", "pick", "spec", "specs", "table", "wrapped")

    def __init__(self, function: FunctionState) -> None:
        self.function = function
        self.code: Any = None
        self.lasti = -1
        self.hits = 0
        self.spec: SpecState | None = None
        self.specs: list[SpecState] = []
        self.pick: Any = None
        self.table: dict[Any, SpecState] = {}
        self.keys: dict[int, SpecState] = {}
        self.operation = ""
        self.wrapped = False


class Ledger:
    """Everything one process has recorded so far."""

    def __init__(self, bounds: Bounds = USUAL) -> None:
        self.bounds = bounds
        self.kept = 0
        self.lock = threading.RLock()
        self.began = time.perf_counter()
        self.functions: dict[Any, FunctionState] = {}
        self.order = itertools.count(1)

    def now(self) -> float:
        """Seconds since the ledger began."""
        return time.perf_counter() - self.began

    def function(self, identity: Identity) -> FunctionState:
        """The state of a function group, made at first sight; beyond the bounds, one that stands for all others."""
        with self.lock:
            state = self.functions.get(identity.key)
            if state is None and len(self.functions) >= self.bounds.specializations:
                identity = further(identity)
                state = self.functions.get(identity.key)
            if state is None:
                state = self.functions[identity.key] = FunctionState(len(self.functions) + 1, identity)
            return state

    def add_spec(self, function: FunctionState, signature: Signature, call_site: Location) -> SpecState:
        """A new specialization of a function group; beyond the bounds, the one that stands for all of these."""
        with self.lock:
            if self.full(function):
                return self.sum_of(function, signature, call_site)
            self.kept += 1
            spec = SpecState(function, len(function.specs) + 1, signature, call_site)
            spec.thread = threading.get_ident()
            spec.started = self.now()
            function.specs.append(spec)
            return spec

    def full(self, function: FunctionState) -> bool:
        """Whether a function may have no more specializations of their own."""
        if function.identity.kind == FURTHER:
            return True
        most = self.bounds.specializations
        return bool(function.specs) and (self.kept >= most or len(function.specs) >= max(1, most // 2))

    def sum_of(self, function: FunctionState, signature: Signature, call_site: Location) -> SpecState:
        """The entry for all specializations of a function that have none of their own."""
        if function.more is None:
            function.more = SpecState(function, len(function.specs) + 1, signature, call_site)
            function.more.summed = True
            function.more.stages = Sums()
            function.more.started = self.now()
            function.specs.append(function.more)
        function.more.touched = True
        return function.more

    def part(self) -> None:
        """From here on, further sums: a window that opens now must not see what happened before in what comes."""
        with self.lock:
            for function in self.functions.values():
                if function.more is not None:
                    function.more.stages = list(function.more.stages)
                    function.more = None

    def settle(self, function: FunctionState) -> None:
        """Count the hits that wait in a function's open row into the row and its specialization."""
        owner = function.owner
        if owner is not None and owner.hits:
            waiting, owner.hits = owner.hits, 0
            row = function.open
            if row is not None:
                row[_COUNT] += waiting
            if owner.spec is not None:
                owner.spec.calls += waiting
                owner.spec.touched = True

    def add_row(
        self, function: FunctionState, spec: SpecState, event: str, site: Location, count: int, *, nested: bool = False
    ) -> bool:
        """Add calls to a function's ledger: to its open row where that is equal, else to a new one.

        Returns whether the row has only just begun: fewer than three calls.
        """
        with self.lock:
            self.settle(function)
            row = function.open
            if (
                row is not None
                and row[_SPEC] == spec.number
                and row[_EVENT] == event
                and row[_SITE] is site
                and row[_NESTED] == nested
            ):
                row[_COUNT] += count
                return bool(row[_COUNT] < _YOUNG)
            if row is not None:
                if len(function.closed) < ROWS_KEPT:
                    function.closed.append(row)
                else:
                    function.dropped += row[_COUNT]
            if function.owner is not None:
                function.owner.code = None
                function.owner = None
            counts = function.traces, function.compiles
            moment = time.perf_counter() - self.began
            function.open = [next(self.order), spec.number, event, site, count, moment, *counts, nested]
            return True

    def worked(self, spec: SpecState) -> None:
        """A specialization's last call has compiled: its row, if it is open still, says so."""
        row = spec.function.open
        if row is not None and row[_SPEC] == spec.number and row[_EVENT] != "hit":
            row[_EVENT], row[_COMPILES] = "new", spec.function.compiles

    def rows(self, function: FunctionState, after: int) -> list[Row]:
        """The rows of a function that began after `after` in the order of all, the open one as it stands."""
        with self.lock:
            self.settle(function)
            kept = function.closed
            start = bisect.bisect_right(kept, after, key=lambda row: row[_ORDER])
            rows = [_row(function.id, row) for row in kept[start:]]
            if function.open is not None and function.open[_ORDER] > after:
                rows.append(_row(function.id, function.open))
            return rows

    def forget_rows(self, function: FunctionState, upto: int) -> None:
        """Drop rows that every reader has."""
        with self.lock:
            kept = function.closed
            del kept[: bisect.bisect_right(kept, upto, key=lambda row: row[_ORDER])]


_ORDER, _SPEC, _EVENT, _SITE, _COUNT, _MOMENT, _TRACES, _COMPILES, _NESTED = range(9)


def _row(function: int, row: list[Any]) -> Row:
    return Row(
        row[_ORDER],
        function,
        row[_SPEC],
        row[_EVENT],
        row[_SITE],
        row[_COUNT],
        row[_MOMENT],
        row[_TRACES],
        row[_COMPILES],
        row[_NESTED],
    )
