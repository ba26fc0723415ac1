"""A guard: asked before JAX traces or compiles anything, and free to refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.jaxlink.missing import Missing
from whyjit.observe import observer

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.attempt import Attempt
    from whyjit.observe.probes import Judge, Probes


class Guarding:
    """Has `guard` asked in every thread from `start()` to `stop()`; what it raises is raised in the caller's call.

    Calls on the fast path are not touched: the probes are held without JAX's post-call hook.
    """

    def __init__(self, guard: Callable[[Attempt], None], *, judge: Judge | None, redact: bool) -> None:
        self._guard = guard
        self._judge = judge
        self._redact = redact
        self._probes: Probes | None = None

    def start(self) -> Missing | None:
        """Begin. Missing where this JAX does not let a guard come first."""
        with observer.shared:
            probes = observer.acquire(self._judge, calls=False, redact=self._redact)
            missing = probes.add_guard(self._guard)
            if missing is not None:
                observer.release(probes, calls=False)
                return missing
            self._probes = probes
        return None

    def stop(self) -> None:
        """End. May be called twice."""
        with observer.shared:
            probes, self._probes = self._probes, None
            if probes is not None:
                probes.remove_guard(self._guard)
                observer.release(probes, calls=False)
