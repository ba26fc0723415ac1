"""All probes of a process, installed together and removed together."""

from __future__ import annotations

import collections
import hashlib
import os
import threading
import zlib
from typing import TYPE_CHECKING

import msgspec

from whyjit.jaxlink import compiles, doors, events, hits, jits, tracing
from whyjit.jaxlink.missing import Missing
from whyjit.model.bounds import USUAL, Bounds
from whyjit.model.recording import Gap
from whyjit.observe import once, places, reads
from whyjit.observe.calls import Calls
from whyjit.observe.failures import DoorCall, FailureProbe, causes, explain, failure_of
from whyjit.observe.fingerprint import fingerprint
from whyjit.observe.given import Eyes
from whyjit.observe.hits import HitCounter
from whyjit.observe.journal import Journal
from whyjit.observe.ledger import Ledger
from whyjit.observe.programs import Builder
from whyjit.observe.sampling import Sampler
from whyjit.observe.unrolled import unrolled
from whyjit.observe.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.jaxlink.programs import Capture
    from whyjit.model.attempt import Attempt
    from whyjit.model.failure import Failure
    from whyjit.model.scene import Scene
    from whyjit.observe.calls import Visit
    from whyjit.observe.ledger import SpecState
    from whyjit.observe.live import LiveWord

    Judge = Callable[[Scene], Failure | None]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Probes:
    """The door, the marks, the hook, the listeners, and the failure probe of one process."""

    def __init__(self, judge: Judge | None, *, redact: bool = False, bounds: Bounds = USUAL) -> None:
        self._judge = judge
        self.ledger = Ledger(bounds)
        self.journal = Journal(self.ledger, redact=redact)
        self.eyes = Eyes(self.journal.given, redact)
        self.calls = Calls(self.journal)
        self.sampler = Sampler(self.calls.tracing, lambda: self.calls.door)
        self.counter = HitCounter(
            self.ledger,
            self.journal.adopt,
            self.journal.resolve,
            self.journal.stale,
            self.journal.operations.hit,
            self.journal.fault,
        )
        self.journal.around = lambda: self.calls.parent
        self.journal.on_capture = self._take
        self.journal.on_raised = self._raised
        self.gaps: list[Gap] = []
        self._replaced: list[doors.Replaced] = []
        self._compile: doors.Replaced | None = None
        self._listeners: events.Listeners | None = None
        self._hits: hits.Hits | None = None
        self._failures: FailureProbe | None = None
        self.live: LiveWord | None = None
        self._windows: list[Window] = []
        self._holders = 0
        self._callers = 0
        self._taken: collections.deque[tuple[SpecState, Capture]] = collections.deque()
        self._builder = Builder()
        self._finishing = threading.RLock()

    # Installing and removing.

    def install(self) -> None:
        """Install every probe that this JAX has a place for; each that it has not is a gap."""
        for folder in ("observe", "jaxlink", "guards"):
            doors.exclude_from_tracebacks(os.path.join(_PACKAGE, folder) + os.sep)
        self._note("transformations", tracing.examine())
        self._keep("misses", doors.replace_door(self.calls.make_door))
        self._keep("traces", doors.replace_trace_mark(self.calls.mark))
        self._keep("bodies", doors.replace_trace_end(self.calls.ended))
        for outcome in self.calls.disk.install():
            self._keep("persistent cache", outcome)
        self._listeners = events.Listeners(self.calls.on_duration, self.calls.on_event)
        if self._judge is not None:
            self._failures = FailureProbe(
                self._failed, self._judge, lambda fault: self.journal.fault("failure", fault), eyes=self.eyes
            )
            self.gaps.extend(self._failures.install())

    def _keep(self, what: str, outcome: doors.Replaced | Missing) -> None:
        if isinstance(outcome, Missing):
            self.gaps.append(Gap(what, outcome.reason))
        else:
            self._replaced.append(outcome)

    def _note(self, what: str, outcome: Missing | None) -> None:
        if outcome is not None:
            self.gaps.append(Gap(what, outcome.reason))

    def hold(self, *, calls: bool) -> None:
        """One more observer needs the probes."""
        self._holders += 1
        if calls:
            self._callers += 1
            if self._hits is None:
                outcome = hits.install(self.counter.hook)
                if isinstance(outcome, Missing):
                    self.gaps.append(Gap("hits", outcome.reason))
                else:
                    self._hits = outcome
                    self.calls.ensure_hook = outcome.ensure_thread

    def let_go(self, *, calls: bool) -> bool:
        """One observer less; whether it was the last."""
        self._holders -= 1
        if calls:
            self._callers -= 1
            if self._callers == 0 and self._hits is not None:
                self._hits.remove()
                self._hits = None
                self.calls.ensure_hook = None
        return self._holders == 0

    def remove(self) -> None:
        """Put everything back, and forget what was remembered of the program."""
        for replaced in reversed(self._replaced):
            replaced.restore()
        self._replaced.clear()
        if self._listeners is not None:
            if not self._listeners.still_there():
                self.journal.gaps["listeners", ""] = Gap(
                    "durations",
                    "the program called jax.monitoring.clear_event_listeners: later compiles are not counted",
                )
            self._note("listeners", self._listeners.remove())
        if self._failures is not None:
            self._failures.remove()
        self.counter.clear()
        self.calls.forget()
        for module in (places, reads, once):
            module.forget()

    def after_fork(self) -> None:
        """A forked child has the probes, and windows of its own."""
        self._windows.clear()

    def stand_alone(self) -> None:
        """The other threads of a process that has forked are not in the child: nor may be what they held."""
        self.ledger.lock = threading.RLock()
        self._finishing = threading.RLock()
        self.journal.stale.renew_locks()
        self.journal.given.renew_lock()
        self.calls.keep_this_thread()

    # Guards.

    def add_guard(self, guard: Callable[[Attempt], None]) -> Missing | None:
        """Have a guard asked before each trace and compile. Missing where this JAX does not let one come first."""
        if not {"_infer_params", "__init__"} <= {replaced.name for replaced in self._replaced}:
            return Missing("; ".join(gap.reason for gap in self.gaps) or "JAX's door was not found")
        if self._compile is None:
            outcome = compiles.replace_compile(self.calls.before_compile)
            if isinstance(outcome, Missing):
                return outcome
            self._compile = outcome
        self.calls.guards = (*self.calls.guards, guard)
        return None

    def remove_guard(self, guard: Callable[[Attempt], None]) -> None:
        """A guard is not asked any more."""
        self.calls.guards = tuple(other for other in self.calls.guards if other is not guard)
        if not self.calls.guards and self._compile is not None:
            self._compile.restore()
            self._compile = None

    # Windows.

    def open_window(self, *, whole: bool) -> Window:
        """A window from now on."""
        self.ledger.part()
        window = Window(self.journal, list(self.gaps), lambda: list(self._windows), whole=whole)
        self._windows.append(window)
        return window

    def close_window(self, window: Window) -> None:
        """A window is done."""
        if window in self._windows:
            self._windows.remove(window)

    # Programs: taken down in the user's thread, finished here.

    def _take(self, spec: SpecState, capture: Capture) -> None:
        if not spec.summed:
            self._taken.append((spec, capture))

    def finish(self) -> None:
        """Make programs and fingerprints of everything taken down so far, and look for stale values."""
        with self._finishing:
            while self._taken:
                spec, capture = self._taken.popleft()
                self.journal.guarded(self._finish, spec, capture)
            self.journal.guarded(self.journal.stale.check_all)

    def _finish(self, spec: SpecState, capture: Capture) -> None:
        program = self._builder.program(capture)
        spec.unrolled = unrolled(capture, self._builder)
        marks = [(token, text) for _, _, token, text in capture.constants]
        spec.fingerprint = fingerprint(program, marks)
        data = msgspec.msgpack.encode(program)
        key = hashlib.blake2b(data, digest_size=12).hexdigest()
        spec.program = key
        spec.touched = True
        if self.live is not None:
            self.live.made(spec)
        for window in list(self._windows):
            if window.wants(key):
                window.keep(key, zlib.compress(data, 1))

    # Failures.

    def _failed(self, failure: Failure) -> None:
        for window in list(self._windows):
            window.fail(failure)

    def _raised(self, visit: Visit, raised: BaseException) -> None:
        if self._failures is not None:
            numbers, names = jits.statics_of(visit.info)
            signature = jits.python_signature_of(visit.info)
            call = DoorCall(visit.function, visit.args, visit.kwargs, numbers, names, signature, not visit.staged)
            self._failures.door_raised(raised, call)

    def explain_uncaught(self, raised: BaseException) -> Failure | None:
        """The explanation of an exception that reached the top of the program, found when it was raised or now."""
        if self._judge is None:
            return None
        known = next((found for one in causes(raised) if (found := failure_of(one)) is not None), None)
        if known is not None:
            return known
        found = explain(raised, self._judge, self.eyes)
        if found is not None:
            self._failed(found)
        return found
