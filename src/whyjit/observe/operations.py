"""JAX's operations called outside any jit, entered as the lines of the user's code that called them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import arrays
from whyjit.model.recording import Stage
from whyjit.observe import functions, places, signatures
from whyjit.observe.keys import key_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.source import Location
    from whyjit.observe.calls import Visit
    from whyjit.observe.known import Known
    from whyjit.observe.ledger import FunctionState, Ledger, SpecState
    from whyjit.observe.looks import Describer

    TakeDown = Callable[
        [SpecState, Any, tuple[int, ...] | None], None
    ]  # a program that was staged, and its inputs' order


class Operations:
    """The lines that call operations one by one: functions of the ledger, with a specialization for each operation."""

    def __init__(self, ledger: Ledger, known: Known, describer: Describer, take_down: TakeDown) -> None:
        self._ledger = ledger
        self._known = known
        self._describer = describer
        self._take_down = take_down
        self._lines: dict[tuple[str, int], FunctionState] = {}

    def line(self, site: Location) -> FunctionState:
        """The state of a line."""
        key = (site.file, site.line)
        state = self._lines.get(key)
        if state is None:
            name = f"{os.path.basename(site.file)}:{site.line}" if site.file else "unknown line"
            identity = functions.Identity(("eager", *key), name, site.function, site.file, site.line, "eager", "line")
            state = self._lines[key] = self._ledger.function(identity)
        return state

    def hit(self, operation: str, site: Location) -> None:
        """One of JAX's own operations, compiled already, was called at a line; those that never waited are left out."""
        state = self._lines.get((site.file, site.line))
        if state is None:
            return
        with self._ledger.lock:
            for spec in reversed(state.specs):
                if spec.operation == operation:
                    spec.calls += 1
                    spec.touched = True
                    return

    def passed(self, visit: Visit, operation: str, closed: Any, site: Location, seconds: float) -> None:
        """The door let an operation through."""
        line = self.line(site)
        nowhere = arrays.lie_nowhere(visit.args, visit.kwargs)
        spec = None
        if nowhere and not visit.marks:  # describing the arguments costs ten times as much as all else here
            spec = self._known.operation(closed, line, visit.transforms)
        if spec is None:
            spec = self._described(visit, line, operation, closed, site, seconds)
            if nowhere and not spec.summed:
                self._known.note_operation(closed, visit.transforms, spec)
        spec.operation = operation
        spec.calls += visit.called
        spec.misses += visit.called
        spec.touched = True
        visit.spec = spec

    def _described(
        self,
        visit: Visit,
        line: FunctionState,
        operation: str,
        closed: Any,
        site: Location,
        seconds: float,
    ) -> SpecState:
        """The specialization of an operation by its full signature."""
        call = signatures.call_of(visit.info, visit.args, visit.kwargs)
        built = signatures.build(call, self._describer, visit.info, visit.transforms)
        key = hash((operation, key_of(built.signature)))
        spec = None if visit.marks else line.keys.get(key)
        if spec is None:
            spec = self._ledger.add_spec(line, built.signature, site)
            if not spec.summed:
                line.keys[key] = spec
            # Without a trace it was traced before: its work, if any follows, is this line's.
            spec.earlier = not visit.marks and not self._known.specs_of(closed)
            spec.notes = places.marks(visit.frame)
        if visit.marks:
            now = self._ledger.now()
            spec.stages.append(Stage("trace", now - seconds, seconds, max(0.0, seconds - visit.inner_s), 0))
            line.traces += 1
            if closed is not None:
                self._known.program(closed, spec)
                self._take_down(spec, closed, built.order)
            for child in visit.children:
                child.parent = (line.id, spec.number)
        return spec
