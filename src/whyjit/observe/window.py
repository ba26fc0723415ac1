"""One observer's view of the ledger: what happened since it opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from whyjit.model.batch import Batch
from whyjit.model.recording import Gap, Recording
from whyjit.model.stages import one_by_one
from whyjit.observe.ledger import ROWS_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from whyjit.model.failure import Failure
    from whyjit.model.recording import Environment, Function, Row, Specialization
    from whyjit.observe.journal import Journal
    from whyjit.observe.ledger import FunctionState, SpecState


FAILURES_KEPT = 1_000
PROGRAM_BYTES_KEPT = 500_000_000  # compressed


class Window:
    """From its opening on. `whole` windows keep the rows in memory; others hand them out once, in batches.

    `others` gives all open windows, this one included. `read` is how far each function's rows were handed out,
    `missed` what has changed since the last batch and was handed on by another window.
    """

    def __init__(
        self, journal: Journal, gaps: list[Gap], others: Callable[[], Iterable[Window]], *, whole: bool
    ) -> None:
        self._journal = journal
        self._others = others
        self.whole = whole
        self.read: dict[int, int] = {}
        self._last_rows: dict[int, Row] = {}
        self.missed: set[SpecState] = set()
        self._began = journal.ledger.now()
        self._order = next(journal.ledger.order)
        self._before = {
            (state.id, spec.number): (spec.calls, spec.nested_calls, spec.misses, len(spec.stages))
            for state in list(journal.ledger.functions.values())
            for spec in list(state.specs)
        }
        self._sent_functions: dict[int, Function] = {}
        self._sent_failures = 0
        self._sent_unattributed = 0
        self._sent_programs: set[str] = set()
        self._sent_gaps: set[tuple[str, str]] = set()
        self._failures_before = 0
        self._unattributed_before = len(journal.unattributed)
        self.gaps = gaps
        self.failures: list[Failure] = []
        self._lost_failures = 0
        self._lost_programs = False
        self._program_bytes = 0
        self.programs: dict[str, bytes] = {}

    def _take(self, spec: SpecState) -> None:
        """A change of a specialization is handed on here: other windows must not miss it."""
        self.missed.discard(spec)
        if spec.touched:
            spec.touched = False
            for other in self._others():
                if other is not self and not other.whole:
                    other.missed.add(spec)

    def _spec(self, spec: SpecState) -> Specialization | None:
        """A specialization as this window sees it, or None where nothing happened to it since."""
        before = self._before.get((spec.function.id, spec.number))
        if before == (spec.calls, spec.nested_calls, spec.misses, len(spec.stages)):
            return None
        frozen = spec.freeze()
        if before is None:
            return self._shift(frozen)
        calls, nested, misses, stages = before
        seen = msgspec.structs.replace(
            frozen,
            calls=frozen.calls - calls,
            nested_calls=frozen.nested_calls - nested,
            misses=frozen.misses - misses,
            stages=frozen.stages[stages:],
            earlier=True,
        )
        return self._shift(seen) if seen.calls or seen.nested_calls or seen.stages else None

    def _shift(self, spec: Specialization) -> Specialization:
        """Moments counted from the window's opening."""
        if not self._began:
            return spec
        stages = tuple(msgspec.structs.replace(stage, start=stage.start - self._began) for stage in spec.stages)
        return msgspec.structs.replace(spec, stages=stages, started=spec.started - self._began)

    def _new_rows(self, state: FunctionState) -> list[Row]:
        """Rows since the last batch; the open one comes again with the next, as it may grow."""
        rows = self._journal.ledger.rows(state, self.read.get(state.id, self._order))
        if state.open is not None and rows and rows[-1].order == state.open[0]:
            if len(rows) > 1:
                self.read[state.id] = rows[-2].order
            if self._last_rows.get(state.id) == rows[-1]:
                rows.pop()
            else:
                self._last_rows[state.id] = rows[-1]
        elif rows:
            self.read[state.id] = rows[-1].order
        return rows

    def _all_gaps(self) -> list[Gap]:
        """What was not seen, and whyjit's own faults."""
        states = list(self._journal.ledger.functions.values())
        dropped = [
            Gap(f"rows of {state.identity.qualname}", f"calls beyond {ROWS_KEPT:,} rows are counted, but have no row")
            for state in states
            if state.dropped
        ]
        summed = [
            Gap(f"specializations of {state.identity.qualname}", f"only counted from number {spec.number:,} on")
            for state in states
            for spec in state.specs[-1:]
            if spec.summed
        ]
        if self._lost_failures:
            dropped.append(Gap("failures", f"only the first {FAILURES_KEPT:,} tracer errors were kept"))
        if self._lost_programs:
            dropped.append(Gap("programs", f"only the first {PROGRAM_BYTES_KEPT // 10**6:,} MB of them were kept"))
        return [*self.gaps, *self._journal.gaps.values(), *dropped, *summed]

    def fail(self, failure: Failure) -> None:
        """A tracer error was explained."""
        if len(self.failures) < FAILURES_KEPT:
            self.failures.append(failure)
        else:
            self._lost_failures += 1

    def wants(self, key: str) -> bool:
        """Whether a program is one that nobody has been handed yet."""
        if self.whole or key in self.programs or key in self._sent_programs:
            return False  # a recording in memory holds no programs
        if self._program_bytes < PROGRAM_BYTES_KEPT:
            return True
        self._lost_programs = True
        return False

    def keep(self, key: str, data: bytes) -> None:
        """A program, compressed, that was wanted."""
        self.programs[key] = data
        self._program_bytes += len(data)

    def _forget(self, states: list[FunctionState]) -> None:
        """Drop rows that all windows have handed on; a whole window hands on none."""
        others = list(self._others())
        if any(window.whole for window in others):
            return
        for state in states:
            upto = min((window.read.get(state.id, 0) for window in others), default=0)
            if upto:
                self._journal.ledger.forget_rows(state, upto)

    def recording(self, environment: Environment) -> Recording:
        """Everything since the opening."""
        journal = self._journal
        with journal.ledger.lock:
            states = list(journal.ledger.functions.values())
            for state in states:
                journal.ledger.settle(state)
            specs = [
                one_by_one(seen) for state in states for spec in state.specs if (seen := self._spec(spec)) is not None
            ]
            used = {spec.function for spec in specs}
            functions = tuple(state.freeze() for state in states if state.id in used or state.bodies)
            rows = tuple(row for state in states if self.whole for row in journal.ledger.rows(state, self._order))
            stale = tuple(read for read in journal.stale.found() if read.function in used)
            unattributed = tuple(journal.unattributed[self._unattributed_before :])
        return Recording(
            environment,
            tuple({(gap.what, gap.reason): gap for gap in self._all_gaps()}.values()),
            functions,
            tuple(specs),
            tuple(sorted(rows, key=lambda row: row.order)),
            tuple(self.failures),
            stale,
            journal.ledger.now() - self._began,
            unattributed,
        )

    def batch(self, environment: Environment, *, final: bool) -> Batch:
        """What is new since the last batch."""
        journal = self._journal
        with journal.ledger.lock:
            states = list(journal.ledger.functions.values())
            functions: list[Function] = []
            specs: list[Specialization] = []
            rows: list[Row] = []
            for state in states:
                journal.ledger.settle(state)
                touched = [spec for spec in state.specs if spec.touched or spec in self.missed]
                for spec in touched:
                    self._take(spec)
                    seen = self._spec(spec)
                    if seen is not None:
                        specs.append(seen)
                if touched or state.bodies:
                    frozen = state.freeze()
                    if self._sent_functions.get(state.id) != frozen:
                        self._sent_functions[state.id] = frozen
                        functions.append(frozen)
                if state.closed or state.open is not None:
                    rows.extend(self._new_rows(state))
            self._forget(states)
            stale = tuple(journal.stale.found())
            unattributed = tuple(journal.unattributed[self._unattributed_before + self._sent_unattributed :])
            self._sent_unattributed += len(unattributed)
        failures = tuple(self.failures[self._sent_failures :])
        self._sent_failures += len(failures)
        programs = tuple(self.programs.items())
        for key, _ in programs:
            self._sent_programs.add(key)
            del self.programs[key]
        fresh = [gap for gap in self._all_gaps() if (gap.what, gap.reason) not in self._sent_gaps]
        self._sent_gaps.update((gap.what, gap.reason) for gap in fresh)
        return Batch(
            environment, tuple(functions), tuple(specs), tuple(rows), failures, tuple(fresh), stale, unattributed,
            programs, journal.ledger.now() - self._began, final,
        )  # fmt: skip
