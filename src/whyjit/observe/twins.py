"""Static values that JAX takes for the same although they are not: zero with the other sign.

`-0.0 == 0.0`, so a call with the one reuses the program traced with the other, with nothing to be seen of it. A static
that is, or holds, a floating zero is therefore looked at in a few calls more than others.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.model.recording import StaleRead

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.signature import Signature, Static
    from whyjit.model.source import Location
    from whyjit.observe.ledger import JitState, SpecState
    from whyjit.observe.looks import Describer

_ZERO = re.compile(r"(?<![\d.])-?0\.0(?![\de])|(?<![\w.])-?0j")
_LOOKS = 16
# From so many calls with the other zero on, they are only sampled.
_COUNTED = 1000


class Zero(NamedTuple):
    """A static argument with a zero in it: how a call is read for it, and the zeros it had when it was traced."""

    path: str
    read: Callable[[Any, Any], Any]
    text: str
    signs: tuple[tuple[str, str], ...]


def zeros_of(signature: Signature, statics: dict[str, str]) -> tuple[Zero, ...]:
    """The static arguments that hold a floating zero. `statics` gives an expression for each over `args`, `kwargs`."""
    found: list[Zero] = []
    for static in signature.statics:
        held = signs(static)
        if held and static.path in statics:
            read: Callable[[Any, Any], Any] = eval(f"lambda args, kwargs: {statics[static.path]}")  # noqa: S307 - our text
            found.append(Zero(static.path, read, static.text, held))
    return tuple(found)


def signs(static: Static) -> tuple[tuple[str, str], ...]:
    """The zeros in a static, each with its sign, by where they are in it."""
    every = static.parts or (("", static.text),)
    return tuple((path, text) for path, text in every if text[:1] not in "'\"<" and _ZERO.search(text))


class _Twin:
    __slots__ = ("calls", "new", "old", "site", "spec")

    def __init__(self, spec: SpecState, old: str, new: str, site: Location) -> None:
        self.spec = spec
        self.old = old
        self.new = new
        self.site = site
        self.calls = 0


class Twins:
    """The calls that were seen to reuse a program traced with a zero of the other sign."""

    def __init__(self, describer: Describer) -> None:
        self._describer = describer
        self._lock = threading.RLock()  # a finalizer or a signal's handler may call a function while it is held
        self._found: dict[tuple[int, int, str], _Twin] = {}
        self._asleep: set[JitState] = set()

    def at_hit(self, state: JitState, spec: SpecState, args: Any, kwargs: Any, site: Location) -> bool:
        """Look at one call of a specialization with zeros. Whether its next call must be looked at, too."""
        if spec.looks >= _LOOKS:
            self._sleep(state)
            return False
        for zero in spec.zeros:
            static = self._describer.static(zero.path, zero.read(args, kwargs))
            other = signs(static) != zero.signs
            if other and self._note(spec, zero.path, zero.text, static.text, site) < _COUNTED:
                spec.looks = 0
        spec.looks += 1
        if spec.looks < _LOOKS:
            return True
        self._sleep(state)
        return False

    def _sleep(self, state: JitState) -> None:
        with self._lock:
            self._asleep.add(state)

    def renew_lock(self) -> None:
        """In a forked child: nobody lets go what another thread held."""
        self._lock = threading.RLock()

    def at_door(self, spec: SpecState, signature: Signature, site: Location) -> None:
        """Look at a call that came by the door and was not traced."""
        before = {static.path: static for static in spec.signature.statics}
        for static in signature.statics:
            old = before.get(static.path)
            if old is not None and old is not static and old.text != static.text and signs(old) != signs(static):
                self._note(spec, static.path, old.text, static.text, site)

    def wake(self) -> None:
        """Have one more call of each function with zeros looked at; called now and then."""
        with self._lock:
            asleep, self._asleep = self._asleep, set()
        for state in asleep:
            for spec in list(state.specs):
                spec.looks = min(spec.looks, _LOOKS - 1)
            state.lasti, state.code = -1, None

    def _note(self, spec: SpecState, path: str, old: str, new: str, site: Location) -> int:
        with self._lock:
            key = (spec.function.id, spec.number, path)
            twin = self._found.setdefault(key, _Twin(spec, old, new, site))
            twin.calls += 1
            return twin.calls

    def found(self) -> list[StaleRead]:
        """The calls that were seen, summed."""
        with self._lock:
            return [
                StaleRead(function, number, path, twin.old, twin.new, twin.site, twin.calls, "static")
                for (function, number, path), twin in list(self._found.items())
            ]
