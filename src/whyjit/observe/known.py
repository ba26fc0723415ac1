"""What is known of live functions and programs, held by weak references only."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import jits
from whyjit.observe.functions import Identity, identify
from whyjit.observe.ledger import JitState

if TYPE_CHECKING:
    from whyjit.observe.ledger import FunctionState, Ledger, SpecState


class KnownFunction:
    """A function object that was met: its group, its number as an object, and the jitted callables made of it."""

    __slots__ = ("identity", "jits", "reference", "state")

    def __init__(self, reference: Any, identity: Identity, state: FunctionState) -> None:
        self.reference = reference
        self.identity = identity
        self.state = state
        self.jits: list[tuple[tuple[tuple[str, str], ...], JitState]] = []


class Known:
    """Function objects, jitted callables and staged programs that are alive."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._functions: dict[tuple[int, bool], KnownFunction] = {}
        self._programs: dict[int, tuple[Any, list[SpecState]]] = {}
        self._operations: dict[tuple[int, int, tuple[str, ...]], tuple[Any, SpecState]] = {}

    def function(self, function: Any, *, as_library: bool) -> KnownFunction:
        """What is known of a function object, found out at first sight.

        JAX's own functions belong to "eager" lines when called outside a trace, and are a library's inside one.
        """
        for inside in {False, as_library}:
            known = self._functions.get((id(function), inside))
            fits = inside == as_library or (known is not None and known.identity.origin != "eager")
            if known is not None and fits and known.reference() is function:
                return known
        identity = identify(function)
        as_library = as_library and identity.origin == "eager"
        if as_library:
            identity = identity._replace(origin="library")
        key = (id(function), as_library)
        known = KnownFunction(None, identity, self._ledger.function(identity))
        try:
            known.reference = weakref.ref(function, lambda _: self._functions.pop(key, None))
        except TypeError:
            known.reference = lambda: None
            return known
        self._functions[key] = known
        return known

    def jit(self, known: KnownFunction, jit_info: Any, state: FunctionState) -> JitState:
        """The state of the jitted callables that were made of a function with these options.

        JAX has one cache for all of them: what one has compiled is a hit of the other.
        """
        options = jits.options_of(jit_info)
        for known_options, found in known.jits:
            if found.function is state and known_options == options:
                return found
        made = JitState(state)
        known.jits = [*known.jits[-50:], (options, made)]
        return made

    def program(self, closed: Any, spec: SpecState) -> None:
        """A specialization's staged program is alive."""
        key = id(closed)
        found = self._programs.get(key)
        if found is not None and found[0]() is closed:
            if spec not in found[1]:
                found[1].append(spec)
            spec.program_alive = found[0]
            return
        try:
            reference = weakref.ref(closed, lambda _: self._programs.pop(key, None))
        except TypeError:
            return
        self._programs[key] = (reference, [spec])
        spec.program_alive = reference

    def specs_of(self, closed: Any) -> list[SpecState]:
        """The specializations whose staged program this is."""
        found = self._programs.get(id(closed))
        return found[1] if found is not None and found[0]() is closed else []

    def operation(self, closed: Any, line: FunctionState, transforms: tuple[str, ...]) -> SpecState | None:
        """The specialization of an operation at a line, called with arguments that lie nowhere in particular.

        All else that tells one from another is in its staged program, or JAX would have staged another.
        """
        found = self._operations.get((id(closed), line.id, transforms))
        return found[1] if found is not None and found[0]() is closed else None

    def note_operation(self, closed: Any, transforms: tuple[str, ...], spec: SpecState) -> None:
        """Remember it, while its program lives."""
        key = id(closed), spec.function.id, transforms
        try:
            reference = weakref.ref(closed, lambda _: self._operations.pop(key, None))
        except TypeError:
            return
        self._operations[key] = reference, spec
