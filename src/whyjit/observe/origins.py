"""Follows traced values back to the arguments of the outermost function, from trace to trace.

Within a trace JAX keeps the operations; between traces the frames on the stack hold what was passed in. Nothing is run
or traced again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink import entries, tracers
from whyjit.jaxlink.missing import Missing
from whyjit.model.failure import Argument, InnerArguments, Step
from whyjit.model.scene import Origin
from whyjit.observe import steps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.jaxlink.tracers import TraceInfo
    from whyjit.observe.stack import Level

_LOOPS = frozenset({"scan", "while_loop", "while_body", "while_cond", "fori_loop", "map"})
_KEPT = 24


class _Entry(NamedTuple):
    """A staging trace that is under way: its place on the stack, what was passed in, whether another stands around it."""

    at: int
    inputs: list[Any] | None
    outermost: bool


class _Applied(NamedTuple):
    """A transformation that stages nothing (vmap, grad): its function's name, and the leaves it was given."""

    function: str
    transformation: str
    leaves: list[tuple[str, Any]]


class Origins:
    """Knows the traces under way in one stack, and follows tracers through them."""

    def __init__(self, levels: list[Level], locals_of: list[dict[str, Any]]) -> None:
        self._levels = levels
        self._locals = locals_of
        self._places: dict[int, int] = {}
        self._keep: list[Any] = []
        self._applied: list[tuple[int, _Applied]] = []
        self._find_traces()
        self._entries: dict[int, _Entry] = {}

    def _find_traces(self) -> None:
        for at, level in enumerate(self._levels):
            if level.kind != "jax":
                continue
            local = self._locals[at]
            for trace in entries.traces_in(local):
                self._keep.append(trace)  # an id is only good while its object lives
                self._places[id(trace)] = at  # the outermost place wins: it is the frame that made the trace
            applied = entries.applied_in(level.frame.f_code.co_name, local)
            if applied is not None:
                self._applied.append((at, _named(level.frame.f_code.co_name, *applied)))

    def is_live(self, tracer: Any) -> bool:
        """Whether the trace a tracer belongs to is still under way."""
        return id(tracers.trace_of(tracer)) in self._places

    def _entry(self, trace: Any) -> _Entry | None:
        at = self._places.get(id(trace))
        if at is None:
            return None
        known = self._entries.get(id(trace))
        if known is None:
            known = self._entries[id(trace)] = _Entry(at, self._inputs(trace, at), self._is_outermost(trace, at))
        return known

    def _inputs(self, trace: Any, at: int) -> list[Any] | None:
        count = tracers.input_count(trace)
        for further in range(at, len(self._levels)):
            level = self._levels[further]
            if level.kind in ("user", "library") and further > at:
                return None
            found = entries.inputs_in(level.frame.f_code.co_name, self._locals[further], count)
            if found is not None:
                return found
        return None

    def _is_outermost(self, trace: Any, at: int) -> bool:
        others = (place for key, place in self._places.items() if key != id(trace))
        return all(place <= at for place in others) and all(place <= at for place, _ in self._applied)

    def follow(self, values: Iterable[Any]) -> Origin:
        """Where traced values come from."""
        return _Search(self).run(list(values))


class _Search:
    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._arguments: dict[str, Argument] = {}
        self._inner: list[tuple[int, InnerArguments]] = []
        self._chain: list[tuple[int, list[Step]]] = []
        self._notes: list[str] = []
        self._operations = 0
        self._called = ("", "")
        self._flags = {"batched": False, "carried": False, "keyed": False, "exact": True}
        self._largest: tuple[int, str] = (0, "")

    def run(self, values: list[Any]) -> Origin:
        seen: set[int] = set()
        todo = values
        while todo:
            by_trace: dict[int, list[Any]] = {}
            for value in todo:
                for tracer in self._peel(value):
                    if id(tracer) not in seen:
                        seen.add(id(tracer))
                        by_trace.setdefault(id(tracers.trace_of(tracer)), []).append(tracer)
            todo = [outer for group in by_trace.values() for outer in self._one_trace(group)]
        self._chain.sort(key=lambda part: -part[0])
        self._inner.sort(key=lambda part: -part[0])
        called, transformation = self._called
        return Origin(
            arguments=tuple(self._arguments.values()),
            inner=tuple(inner for _, inner in self._inner),
            chain=steps.shortened([step for _, part in self._chain for step in part], _KEPT),
            operations=self._operations,
            called=called,
            transformation=transformation,
            largest=self._largest[1],
            notes=tuple(dict.fromkeys(self._notes)),
            **self._flags,
        )

    def _peel(self, value: Any) -> list[Any]:
        staging, passed = tracers.layers(value)
        self._flags["batched"] |= any(tracers.is_batched(tracer) for tracer in passed)
        if not staging:
            self._without_graph(passed)
        return staging

    def _without_graph(self, passed: list[Any]) -> None:
        """A value of vmap or grad outside any jit: JAX computed it and kept no operations."""
        for tracer in passed:
            below = tracers.value_below(tracer)
            for _, applied in reversed(self._origins._applied):
                path = next((path for path, leaf in applied.leaves if leaf is below), None)
                if path is not None:
                    self._called = (applied.function, applied.transformation)
                    self._add(path, tracer)
                    return
        self._flags["exact"] = False
        if self._origins._applied:
            applied = self._origins._applied[-1][1]
            self._called = (applied.function, applied.transformation)

    def _one_trace(self, group: list[Any]) -> list[Any]:
        trace = tracers.trace_of(group[0])
        entry = self._origins._entry(trace)
        history = tracers.history(group)
        info = tracers.info_of(trace)
        if isinstance(history, Missing):
            self._notes.append(history.reason)
            self._flags["exact"] = False
            return []
        at = entry.at if entry is not None else 0
        self._operations += len(history.operations)
        self._chain.append((at, steps.of_operations(history.operations, _KEPT)))
        outer = list(history.constants)
        if entry is None or isinstance(info, Missing):
            self._flags["exact"] = False
            return [value for value in outer if tracers.is_tracer(value)]
        outer.extend(self._inputs(sorted(set(history.inputs)), entry, info, trace))
        return [value for value in outer if tracers.is_tracer(value)]

    def _inputs(self, positions: list[int], entry: _Entry, info: TraceInfo, trace: Any) -> list[Any]:
        names = {at: info.arguments[at] if at < len(info.arguments) else f"argument {at}" for at in positions}
        if entry.outermost:
            self._called = (info.function, info.transformation)
            for at in positions:
                self._add(names[at], trace.frame.invars[at])
            return []
        if positions:
            self._inner.append((entry.at, InnerArguments(info.function, info.transformation, tuple(names.values()))))
            self._flags["carried"] |= info.transformation in _LOOPS
        if entry.inputs is None:
            if positions:
                self._flags["exact"] = False
                self._notes.append(
                    f"what was passed to `{info.function}` ({info.transformation}) as {', '.join(names.values())} "
                    "could not be linked to the function outside"
                )
            return []
        outer = [entry.inputs[at] for at in positions]
        constant = [names[at] for at, value in zip(positions, outer, strict=True) if not tracers.is_tracer(value)]
        if constant:
            self._notes.append(
                f"{', '.join(constant)} of `{info.function}` starts from a value that is no argument of the outermost function"
            )
        return outer

    def _add(self, path: str, value: Any) -> None:
        known = tracers.type_of(value)
        if isinstance(known, Missing):
            self._arguments.setdefault(path, Argument(path))
            return
        dtype, shape = known
        text = f"{dtype}[{','.join(map(str, shape))}]"
        self._flags["keyed"] |= dtype.startswith("key<")
        size = 1
        for dimension in shape:
            size *= dimension if isinstance(dimension, int) else 1
        if shape and size >= self._largest[0]:
            self._largest = (size, path)
        self._arguments.setdefault(path, Argument(path, text, scalar=not shape))


def _named(applier: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Applied:
    transformation = {"vmap_f": "vmap", "jacfun": "jacobian", "_jvp": "jvp", "_vjp": "vjp"}.get(applier, "grad")
    if applier in ("vjp", "jvp", "linearize"):
        transformation = applier
    paths = entries.leaf_paths(function, args, kwargs)
    name = str(getattr(function, "__qualname__", getattr(function, "__name__", "")))
    return _Applied(name, transformation, [] if isinstance(paths, Missing) else paths)
