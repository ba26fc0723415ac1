"""Arguments of calls, copied for `whyjit advise` to verify changes with. Off unless it is asked for.

The first call of each specialization is copied at the door, before it runs, and with it what its function closes over,
where that is no function of a module's. The copies are plain bytes on the host; they wait here until whyjit's own
thread writes them, at most a batch later. No array is kept alive.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from whyjit.jaxlink import doors
from whyjit.jaxlink.freezing import baked, carry, freeze
from whyjit.model.recording import Gap

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.arguments import KeptCall
    from whyjit.observe.calls import Visit


# A function that is traced without end must not fill the folder with small files.
_CALLS = 5000


class Kept(NamedTuple):
    """The arguments of the call that made a specialization."""

    function: int
    number: int
    call: KeptCall


class Keeper:
    """Copies arguments while their arrays take at most `limit` bytes in all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = limit
        self._seen: set[tuple[int, int]] = set()
        self._carried: set[str] = set()
        self._waiting: list[Kept] = []
        self._lock = threading.RLock()
        self.note: Callable[[Gap], None] = lambda _gap: None

    def take(self, visit: Visit, answer: Any) -> None:
        """Copy the arguments of a call that has just been traced, or failed to be. `answer` is that of JAX's door."""
        spec = visit.spec
        if spec is None or not spec.number or visit.staged or not visit.called:
            return
        key = (spec.function.id, spec.number)
        if key in self._seen or len(self._seen) >= _CALLS or spec.function.identity.origin != "user":
            return
        self._seen.add(key)
        call = freeze(visit.args, visit.kwargs, self._left)
        carried, nbytes = carry(visit.function, self._left - call.nbytes, self._carried)
        closed = doors.jaxpr_of(answer) if answer is not None else None
        constants = baked(closed, self._limit) if closed is not None else ""
        call = msgspec.structs.replace(call, carried=carried, constants=constants)
        with self._lock:
            self._left -= call.nbytes + nbytes
            if carried is not None and carried.function is not None:
                self._carried.add(carried.digest)
            self._waiting.append(Kept(*key, call))
        missing = call.missing or (carried.missing if carried is not None else "")
        if "may still be kept" in missing:
            what = f"the arguments of {spec.function.identity.name}"
            self.note(Gap(what, f"they do not fit into the {self._limit / 1e6:.3g} MB for kept arguments"))

    def drain(self) -> list[Kept]:
        """What has been copied since the last time."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        return waiting

    def begin_anew(self) -> None:
        """Forget everything: a forked child keeps arguments of its own calls."""
        self._lock = threading.RLock()
        self._seen.clear()
        self._carried.clear()
        self._waiting.clear()
        self._left = self._limit
