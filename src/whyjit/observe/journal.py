"""What happened at the door becomes entries of the ledger."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import doors, jits, tracing
from whyjit.jaxlink.programs import Capturer, Tokens
from whyjit.model.recording import Gap, Stage
from whyjit.observe import constants, foreign, functions, hits, once, places, reads, routes, signatures
from whyjit.observe.calls import Visit
from whyjit.observe.given import GivenValues
from whyjit.observe.keys import fate, key_of, key_of_spec, made_for, remember
from whyjit.observe.known import Known
from whyjit.observe.ledger import JitState, SpecState
from whyjit.observe.looks import Describer
from whyjit.observe.operations import Operations
from whyjit.observe.stale import StaleWatch

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from whyjit.jaxlink.programs import Capture
    from whyjit.model.disk import Disk
    from whyjit.model.recording import StageKind
    from whyjit.model.source import Location
    from whyjit.observe.known import KnownFunction
    from whyjit.observe.ledger import Ledger

_FAULTS = 20


class Journal:
    """Turns visits at the door, and the work that follows them, into specializations and rows.

    `on_capture` receives each staged program that was taken down, for whyjit's own thread to finish. `on_raised` is
    told of every exception that passes the door. `around` gives the visit that is open around the present moment.
    """

    def __init__(self, ledger: Ledger, *, redact: bool = False) -> None:
        self.ledger = ledger
        self.tokens = Tokens()
        self.describer = Describer(self.tokens, redact=redact)
        self.known = Known(ledger)
        self.given = GivenValues()
        self.stale = StaleWatch(self.describer)
        self.gaps: dict[tuple[str, str], Gap] = {}
        self.unattributed: list[Stage] = []
        self.on_capture: Callable[[SpecState, Capture], None] = lambda _spec, _capture: None
        self.on_raised: Callable[[Visit, BaseException], None] = lambda _visit, _raised: None
        self.around: Callable[[], Visit | None] = lambda: None
        self._capturer = Capturer(self.tokens)
        self.operations = Operations(ledger, self.known, self.describer, self._took_down)

    def _took_down(self, spec: SpecState, closed: Any, order: tuple[int, ...] | None) -> None:
        self.on_capture(spec, self._capturer.capture(closed, order))

    # Faults of our own never reach the user's program; each kind is listed once as a gap.

    def fault(self, what: str, raised: BaseException) -> None:
        """Note an internal fault."""
        trace = raised.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = "" if trace is None else f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        if len(self.gaps) < _FAULTS:
            gap = Gap(what, f"whyjit met {type(raised).__name__}{where}: {str(raised)[:200]}")
            self.gaps.setdefault((gap.what, gap.reason), gap)

    def guarded(self, step: Callable[..., None], *args: Any) -> None:
        """Run one step of the journal; whatever goes wrong in it is a gap."""
        try:
            step(*args)
        except Exception as fault:
            self.fault(getattr(step, "__name__", "journal"), fault)

    # Visits.

    def passed(self, visit: Visit, seconds: float, answer: Any) -> None:
        """The door let a call through."""
        closed = doors.jaxpr_of(answer)
        if not visit.marks and visit.staged:
            found = self.known.specs_of(closed)
            if found:
                found[-1].nested_calls += 1
                found[-1].touched = True
                return
        visit.name = doors.name_of(answer)
        if not visit.called and jits.info_of(visit.function) is not None:
            return  # before 0.7 `eval_shape` and its kin stage a jitted function inside a jit of their own
        seen = foreign.see_through(visit.function, visit.frame)
        known = self.known.function(visit.function if seen is None else seen.function, as_library=visit.staged)
        frame = places.user_frame(visit.frame)
        site = places.location_of(frame)
        if known.identity.origin == "eager":
            self.operations.passed(visit, known.identity.name, closed, site, seconds)
            return
        call = self._call(visit, seen)
        built = signatures.build(call, self.describer, visit.info, () if visit.staged else visit.transforms)
        if visit.marks:
            made = visit.function if seen is None else seen.made
            spec = self._traced(visit, known, built, site, seconds, made)
            self._program(spec, closed, built.order, self._live_statics(call), made)
        else:
            spec = self._untraced(known, built, closed, site)
            self.stale.twins.at_door(spec, built.signature, site)
        self._count(visit, known, call, spec, site)
        self._note(visit, known, built)

    def raised(self, visit: Visit, seconds: float, exception: BaseException) -> None:
        """A call ended in an exception at the door: its trace failed, or its arguments were refused before."""
        self.on_raised(visit, exception)
        if not visit.marks:
            return
        seen = foreign.see_through(visit.function, visit.frame)
        known = self.known.function(visit.function if seen is None else seen.function, as_library=visit.staged)
        if known.identity.origin == "eager":
            return
        site = places.location_of(places.user_frame(visit.frame))
        call = self._call(visit, seen)
        built = signatures.build(call, self.describer, visit.info, () if visit.staged else visit.transforms)
        made = visit.function if seen is None else seen.made
        spec = self._traced(visit, known, built, site, seconds, made)
        spec.error = type(exception).__name__
        self._count(visit, known, None, spec, site)
        self._note(visit, known, built)

    def _note(self, visit: Visit, known: KnownFunction, built: signatures.Built) -> None:
        if built.scalars and not visit.staged:
            self.given.note(known.identity.key, built.scalars)

    def worked(self, visit: Visit | None, kind: StageKind, seconds: float, name: str, disk: Disk | None = None) -> None:
        """JAX has lowered or compiled a program after a visit."""
        stage = Stage(kind, self.ledger.now() - seconds, seconds, seconds, 0, name, disk)
        spec = visit.spec if visit is not None else None
        if spec is None:
            self.unattributed.append(stage)
            return
        with self.ledger.lock:
            if spec.number == 0 and visit is not None:
                visit.spec = spec = self._commit(spec)
            spec.stages.append(stage)
            spec.touched = True
            if kind == "compile":
                spec.function.compiles += 1
            self.ledger.worked(spec)

    def eager_body(self, purpose: str, source: str, frame: FrameType) -> None:
        """The body of control flow called outside a jit is traced."""
        if tracing.state().staged:
            return
        site = places.location_of(places.user_frame(frame))
        state = self.operations.line(site)
        key = f"{purpose} {source.split(' at ', maxsplit=1)[0]}"
        if places.kind_of_file(_file_of(source)) != "user":  # `lax.map` makes the body itself
            key += f" of {places.called_from_user(frame)}"
        state.bodies[key] = state.bodies.get(key, 0) + 1

    # The parts of a visit.

    def _call(self, visit: Visit, seen: foreign.Seen | None) -> signatures.Call:
        return signatures.call_of(visit.info, visit.args, visit.kwargs) if seen is None else foreign.call_of(seen)

    def _live_statics(self, call: signatures.Call) -> dict[str, Any]:
        return {argument.name: argument.value for argument in signatures.given(call)[0] if argument.static}

    def _traced(
        self, visit: Visit, known: KnownFunction, built: signatures.Built, site: Location, seconds: float, made: Any
    ) -> SpecState:
        with self.ledger.lock:
            spec = self.ledger.add_spec(known.state, built.signature, site)
            now = self.ledger.now()
            spec.started = now - seconds
            spec.maker = known.state.maker(self.tokens.of(made))
            spec.captures = functions.captures(made, self.describer)
            spec.notes = fate(known.state, spec)  # evidence for a cleared cache, or against it
            remember(known.state, spec)
            spec.stages.append(Stage("trace", now - seconds, seconds, max(0.0, seconds - visit.inner_s), 0))
            spec.bodies = visit.staging.bodies()
            spec.samples = visit.samples.freeze() if visit.samples is not None else ()
            known.state.traces += 1
        for child in visit.children:
            child.parent = (known.state.id, spec.number)
            child.touched = True
        return spec

    def _program(
        self, spec: SpecState, closed: Any, order: tuple[int, ...] | None, statics: dict[str, Any], made: Any
    ) -> None:
        if closed is None:
            return
        self.known.program(closed, spec)
        if spec.summed:
            return
        if order is not None and len(order) > len(closed.jaxpr.invars):
            order = None
        capture = self._capturer.capture(closed, order)
        spec.slow_path = doors.effects_of(closed)
        spec.outputs = signatures.outputs(closed)
        if spec.function.identity.origin == "user":
            named = reads.arrays_named(made, statics) if capture.constants else ({}, {})
            spec.constants = constants.named(closed, capture, named)
            self.stale.add(spec, made, statics)
            if spec.function.once is None:
                spec.function.once = once.found(made, statics)
        self.on_capture(spec, capture)

    def _untraced(self, known: KnownFunction, built: signatures.Built, closed: Any, site: Location) -> SpecState:
        """The specialization of a call that traced nothing; a new one is kept back until it is compiled."""
        candidates = [spec for spec in self.known.specs_of(closed) if spec.function is known.state]
        key = key_of(built.signature)
        same = [spec for spec in candidates or known.state.specs if not spec.error and key_of_spec(spec) == key]
        if same:
            return same[-1]
        if not candidates:
            spec = self.ledger.add_spec(known.state, built.signature, site)
            spec.earlier = True
            if closed is not None:
                self.known.program(closed, spec)
            return spec
        base = candidates[-1]
        spec = SpecState(known.state, 0, built.signature, site)
        spec.base = base
        spec.maker, spec.captures = base.maker, base.captures
        return spec

    def _commit(self, spec: SpecState) -> SpecState:
        """A specialization that was kept back has been compiled: it is one, or one of those that are only counted."""
        base = spec.base or spec
        function = spec.function
        if self.ledger.full(function):
            return self.ledger.sum_of(function, spec.signature, spec.call_site)
        self.ledger.kept += 1
        spec.number = len(function.specs) + 1
        spec.started = self.ledger.now()
        function.specs.append(spec)
        remember(function, spec)
        spec.constants, spec.outputs, spec.slow_path = base.constants, base.outputs, base.slow_path
        spec.program_alive = base.program_alive
        if spec.pending is not None:
            jit, names, statics = spec.pending
            spec.pending = None
            hits.take(jit, spec, names, statics, self.describer)
        if spec.calls:
            spec.misses = spec.calls
            base.calls -= spec.calls
            base.misses -= spec.calls
            base.touched = True  # it may have been written down with this call, while XLA compiled
            row = function.open
            if row is not None and row[1] == base.number and row[2] == "miss":
                if row[4] > 1:
                    row[4] -= 1
                    self.ledger.add_row(function, spec, "new", spec.call_site, 1)
                else:
                    row[1], row[2] = spec.number, "new"
        return spec

    def _count(
        self, visit: Visit, known: KnownFunction, call: signatures.Call | None, spec: SpecState, site: Location
    ) -> None:
        """Count the call, give it its row, and let hits find its specialization."""
        self.stale.check(known.state)  # before it is counted: what has changed was old for this call, too
        visit.spec = spec
        counted = spec if spec.number or spec.base is None else spec.base
        if visit.staged:
            counted.nested_calls += 1
            parent = self.around()
            if parent is not None and visit.marks:
                spec.within = parent.staging.current
                parent.children.append(spec)
            return
        if visit.called:
            with self.ledger.lock:
                if spec is not counted:
                    spec.calls += 1
                counted.calls += 1
                counted.misses += 1
                counted.touched = True
                self.ledger.add_row(known.state, counted, "new" if visit.marks else "miss", site, 1)
        if call is not None:
            jit = self.known.jit(known, visit.info, known.state)
            jit.wrapped = call.wrapped
            taking = (jit, *self._routes(call, spec))
            with self.ledger.lock:
                if spec is counted:
                    hits.take(jit, spec, *taking[1:], self.describer)
                else:
                    spec.pending = taking

    def _routes(self, call: signatures.Call, spec: SpecState) -> tuple[dict[str, str], dict[str, str]]:
        arguments, _ = signatures.given(call)
        names = routes.argument_expressions([(a.name, a.form == "positional") for a in arguments])
        if call.leaf_is_static is not None:
            return names, routes.routes(names, [static.path for static in spec.signature.statics])
        return names, {a.name: names[a.name] for a in arguments if a.static and a.name in names}

    # Hits.

    def adopt(self, jitted: Any, frame: FrameType) -> JitState | None:
        """The state of a jitted callable that is first met at the hook."""
        function, info = jits.function_of(jitted), jits.info_of(jitted)
        if function is None:
            return None
        seen = foreign.see_through(function, frame)
        identity = functions.identify(function if seen is None else seen.function)
        if identity.origin == "eager":
            state = JitState(self.operations.line(places.UNKNOWN))
            state.operation = identity.name
            return state
        known = self.known.function(function if seen is None else seen.function, as_library=False)
        state = self.known.jit(known, info, known.state)
        state.wrapped = seen is not None
        return state

    def resolve(self, jit: JitState, jitted: Any, args: Any, kwargs: Any, frame: FrameType) -> SpecState | None:
        """The specialization of a hit, by its full signature; one that nobody saw made existed before."""
        info = jits.info_of(jitted)
        seen = foreign.see_through(jits.function_of(jitted), frame)
        call = signatures.call_of(info, args, kwargs) if seen is None else foreign.call_of(seen)
        built = signatures.build(call, self.describer, info, ())
        found = jit.keys.get(key_of(built.signature))
        if found is not None:
            return found
        if jit.specs and not any(spec.earlier for spec in jit.specs):
            # A value that looks different but is the same to JAX: hits never make a specialization of their own.
            return jit.specs[-1]
        made = jits.function_of(jitted) if seen is None else seen.made
        with self.ledger.lock:
            spec = made_for(jit.function, built.signature, self.tokens.of(made))  # by another jit of the same function
            if spec is None:
                spec = self.ledger.add_spec(jit.function, built.signature, places.UNKNOWN)
                spec.earlier = True
            hits.take(jit, spec, *self._routes(call, spec), self.describer)
        return spec


def _file_of(source: str) -> str:
    """The file in JAX's "name at file:line"."""
    return source.rpartition(" at ")[2].rpartition(":")[0]
