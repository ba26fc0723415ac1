"""What JAX is about to do, as an `Attempt`: nothing is entered into the ledger, for nothing has happened."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from whyjit.jaxlink import cached
from whyjit.jaxlink.missing import Missing
from whyjit.model.attempt import Attempt
from whyjit.model.recording import Stage
from whyjit.observe import foreign, functions, places, signatures
from whyjit.observe.keys import fate, key_of_spec
from whyjit.observe.ledger import SpecState
from whyjit.observe.places import UNKNOWN

if TYPE_CHECKING:
    from types import FrameType

    from whyjit.model.recording import Specialization
    from whyjit.model.signature import Leaf, Signature
    from whyjit.model.source import Location
    from whyjit.observe.calls import Visit
    from whyjit.observe.journal import Journal
    from whyjit.observe.ledger import FunctionState


def of_trace(journal: Journal, visit: Visit) -> Attempt:
    """The trace that begins now inside an open door."""
    seen = foreign.see_through(visit.function, visit.frame)
    made = visit.function if seen is None else seen.made
    known = journal.known.function(visit.function if seen is None else seen.function, as_library=visit.staged)
    site = places.location_of(places.user_frame(visit.frame))
    call = journal._call(visit, seen)
    built = signatures.build(call, journal.describer, visit.info, visit.transforms)
    if known.identity.origin == "eager":
        state = journal.operations.line(site)
        spec = SpecState(state, 0, built.signature, site)
        spec.operation = known.identity.name
        return _attempt("trace", known.identity.name, state, spec, site)
    state = known.state
    spec = SpecState(state, 0, built.signature, site)
    spec.maker = state.makers.get(journal.tokens.of(made), len(state.makers) + 1)
    spec.captures = functions.captures(made, journal.describer)
    spec.notes = fate(state, spec) or _gone(state, spec)
    spec.stages.append(Stage("trace", journal.ledger.now(), 0.0))
    attempt = _attempt("trace", known.identity.name, state, spec, site)
    if seen is None:
        attempt = structs.replace(attempt, cached=_cached(journal, visit, call, spec))
    return attempt


def _cached(journal: Journal, visit: Visit, call: signatures.Call, new: SpecState) -> tuple[Specialization, ...]:
    """What JAX has traced this function object for, as specializations that differ from a new one where they do.

    The cache holds a key for the trace that is about to begin, and keys of traces that were refused before: not these.
    """
    entries = cached.traced_for(visit.function, call.args, call.kwargs)
    if isinstance(entries, Missing):
        return ()
    refused = _refused_of(visit.function)
    refused.add(_look(new.signature))
    places_of = {leaf.path: leaf for leaf in new.signature.leaves}
    found: list[Specialization] = []
    for number, entry in enumerate(entries, 1):
        then = call._replace(args=entry.args, kwargs=entry.kwargs)
        built = signatures.build(then, journal.describer, visit.info, visit.transforms).signature
        if entry.here and _look(built) in refused:
            continue
        leaves = tuple(_placed(leaf, places_of.get(leaf.path)) for leaf in built.leaves)
        context = new.signature.context if entry.here else (("tracing context", "another"),)
        spec = SpecState(new.function, -number, structs.replace(built, leaves=leaves, context=context), UNKNOWN)
        spec.maker, spec.captures, spec.earlier = new.maker, new.captures, True
        found.append(spec.freeze())
    return tuple(found)


# What was asked about, by function object: JAX keeps the keys of traces that never took place.
_refused: dict[int, tuple[Any, set[int]]] = {}


def _refused_of(function: Any) -> set[int]:
    key = id(function)
    known = _refused.get(key)
    if known is None or known[0]() is not function:
        try:
            reference = weakref.ref(function, lambda _: _refused.pop(key, None))
        except TypeError:  # it cannot be referred to weakly
            return set()
        known = _refused[key] = (reference, set())
    return known[1]


def _look(signature: Signature) -> int:
    """What is visible of a signature's arguments, wherever they lie and whoever holds them."""
    leaves = tuple((leaf.path, leaf.shape, leaf.dtype, leaf.weak_type) for leaf in signature.leaves)
    statics = tuple((static.path, static.type, static.look) for static in signature.statics)
    return hash((signature.form, signature.nodes, leaves, statics))


def _placed(leaf: Leaf, like: Leaf | None) -> Leaf:
    """A leaf of which only the type is known: it counts as lying where another one lies."""
    if like is None:
        return leaf
    return structs.replace(
        leaf, sharding=like.sharding, committed=like.committed, memory=like.memory, layout=like.layout,
        mesh=like.mesh, holder=like.holder,
    )  # fmt: skip


def _gone(state: FunctionState, spec: SpecState) -> tuple[str, ...]:
    """A note where a program made before recording began, for the same key, is there no more."""
    key = key_of_spec(spec)
    for other in reversed(state.specs):
        if other.program_alive is not None and key_of_spec(other) == key:
            return ("earlier-gone",) if other.program_alive() is None else ()
    return ()


def of_body(purpose: str, frame: FrameType) -> Attempt:
    """The trace of a body of control flow that was called outside a jit."""
    return Attempt("trace", purpose, call_site=places.location_of(places.user_frame(frame)), body=purpose)


def of_compile(name: str, visit: Visit | None) -> Attempt:
    """The compile that follows a visit; nothing but its name is known where no visit fits."""
    site = places.location_of(places.user_frame(sys._getframe(1)))
    spec = visit.spec if visit is not None else None
    if spec is None:
        return Attempt("compile", name, call_site=site)
    return _attempt("compile", name, spec.function, spec, site)


def unknown(name: str) -> Attempt:
    """A trace or compile of which nothing else can be said."""
    return Attempt("compile", name)


def _attempt(
    stage: Literal["trace", "compile"], name: str, state: FunctionState, spec: SpecState, site: Location
) -> Attempt:
    known = tuple(
        other.freeze() for other in list(state.specs) if not spec.operation or other.operation == spec.operation
    )
    return Attempt(stage, name, state.freeze(), spec.freeze(), known, call_site=site)
