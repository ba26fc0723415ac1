"""Watching for values that a live program still holds although they have changed outside."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from whyjit.model.recording import StaleRead
from whyjit.observe import reads
from whyjit.observe.twins import Twins

if TYPE_CHECKING:
    from whyjit.observe.ledger import FunctionState, SpecState
    from whyjit.observe.looks import Describer
    from whyjit.observe.reads import Watched

_SPECS_WATCHED = 8


class _Watch:
    __slots__ = ("calls_then", "spec", "text", "watched")

    def __init__(self, spec: SpecState, watched: Watched) -> None:
        self.spec = spec
        self.watched = watched
        self.text: str | None = None
        self.calls_then = 0


class StaleWatch:
    """The outside reads of live programs: compared at misses, at some hits, by the clock, and at the end."""

    def __init__(self, describer: Describer) -> None:
        self._describer = describer
        self._lock = threading.RLock()  # a finalizer or a signal's handler may call a function while it is held
        self._watches: dict[int, list[_Watch]] = {}
        self.twins = Twins(describer)

    def renew_locks(self) -> None:
        """In a forked child: nobody lets go what another thread held."""
        self._lock = threading.RLock()
        self.twins.renew_lock()

    def add(self, spec: SpecState, function: Any, statics: dict[str, Any]) -> None:
        """A program was traced: remember what it read. Only the newest few of a function are watched."""
        fresh = [_Watch(spec, watched) for watched in reads.watch(function, statics, self._describer)]
        if not fresh:
            return
        spec.function.watched = True
        with self._lock:
            held = self._watches.setdefault(spec.function.id, [])
            numbers = sorted({watch.spec.number for watch in held})[-(_SPECS_WATCHED - 1) :]
            kept = [watch for watch in held if watch.spec.number in numbers or watch.text is not None]
            self._watches[spec.function.id] = kept + fresh

    def check(self, function: FunctionState) -> None:
        """Compare what a function's programs read with what is there now."""
        with self._lock:
            for watch in self._watches.get(function.id, ()):
                text = reads.changed(watch.watched, self._describer)
                if text is None:
                    if watch.calls_then == _calls(watch.spec):
                        watch.text = None  # changed back before it was used
                elif watch.text is None:
                    watch.text, watch.calls_then = text, _calls(watch.spec)
                else:
                    watch.text = text

    def check_all(self) -> None:
        """Compare every function's reads."""
        self.twins.wake()
        for watches in list(self._watches.values()):
            if watches:
                self.check(watches[0].spec.function)

    def found(self) -> list[StaleRead]:
        """The changes that were seen, with the calls since."""
        twins = self.twins.found()
        with self._lock:
            return twins + [
                StaleRead(
                    watch.spec.function.id,
                    watch.spec.number,
                    watch.watched.read.path,
                    watch.watched.text,
                    watch.text,
                    watch.watched.read.location,
                    max(0, _calls(watch.spec) - watch.calls_then),
                )
                for watches in list(self._watches.values())
                for watch in watches
                if watch.text is not None
            ]


def _calls(spec: SpecState) -> int:
    owner = spec.function.owner
    waiting = owner.hits if owner is not None and owner.spec is spec else 0
    return spec.calls + waiting
