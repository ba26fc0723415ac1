"""Follows traced values back to the arguments of the outermost function, from trace to trace.

Within a trace JAX keeps the operations; between traces the frames on the stack hold what was passed in. Nothing is run
or traced again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink import entries, jits, tracers
from whyjit.jaxlink.missing import Missing
from whyjit.model.failure import Argument, InnerArguments, Step
from whyjit.model.scene import Origin
from whyjit.observe import steps
from whyjit.observe.foreign import see_through
from whyjit.observe.parameters import traced_leaves
from whyjit.observe.places import kind_of_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.jaxlink.tracers import TraceInfo
    from whyjit.model.failure import Given
    from whyjit.observe.given import Eyes
    from whyjit.observe.stack import Level

_LOOPS = frozenset({"scan", "while_loop", "while_body", "while_cond", "fori_loop", "map"})
_MAPS = frozenset({"pmap", "shard_map", "shard_map_call"})
_KEPT = 24


class _Entry(NamedTuple):
    """A staging trace that is under way: its place on the stack, what was passed in, whether it is the outermost.

    `applied` are the transformations around the outermost one that stage nothing.
    """

    at: int
    inputs: list[Any] | None
    outermost: bool
    applied: bool


class _Applied(NamedTuple):
    """A transformation that stages nothing (vmap, grad): its function's name, and the leaves it was given."""

    function: str
    transformation: str
    leaves: list[tuple[str, Any]]


class _Door(NamedTuple):
    """The call of a jitted function: the user's function, and its leaves where JAX has other names for them.

    `filtered` tells that it is a jit of equinox.
    """

    function: Any
    leaves: list[tuple[str, Any]]
    filtered: bool = False


class _Called(NamedTuple):
    """The outermost function, what transforms it, and where it is defined."""

    function: str
    transformation: str
    file: str = ""
    line: int = 0


class Origins:
    """Knows the traces under way in one stack, and follows tracers through them."""

    def __init__(self, levels: list[Level], locals_of: list[dict[str, Any]], eyes: Eyes) -> None:
        self.eyes = eyes
        self._levels = levels
        self._locals = locals_of
        self._places: dict[int, int] = {}
        self._staging: set[int] = set()
        self._mapped: list[Any] = []
        self._direct: dict[int, tuple[str, _Applied]] = {}
        self._unknown = False  # whether a frame works on a trace that it does not tell
        self._keep: list[Any] = []
        self._entries: dict[int, _Entry] = {}
        self.applied: list[tuple[int, _Applied]] = []
        for at, level in enumerate(levels):
            if level.kind == "jax":
                self._add(at, level.frame.f_code.co_name, locals_of[at])

    def _add(self, at: int, function: str, local: dict[str, Any]) -> None:
        found = entries.traces_in(local)
        self._unknown |= not found and function.startswith("trace_to_")
        for trace, stages in found:
            self._keep.append(trace)  # an id is only good while its object lives
            self._places[id(trace)] = at  # the outermost place wins: it is the frame that made the trace
            if stages:
                self._staging.add(id(trace))
        self._mapped = entries.mapped_in(function, local) or self._mapped
        given = entries.applied_in(function, local)
        if given is not None:
            applied = _named(function, *given)
            self.applied.append((at, applied))
            if len(self._mapped) == len(applied.leaves) and applied.transformation == "vmap":
                paths = ((path, applied) for path, _ in applied.leaves)
                self._direct.update(zip(map(id, self._mapped), paths, strict=True))
            self._mapped = []

    def is_dead(self, tracer: Any, *, whole: bool) -> bool:
        """Whether the trace a tracer belongs to is over: JAX says so, or no frame of a `whole` stack works on it."""
        trace = tracers.trace_of(tracer)
        if tracers.has_ended(trace) is True:
            return True
        return whole and not self._unknown and id(trace) not in self._places

    def entry(self, trace: Any) -> _Entry | None:
        """How a staging trace was entered; None for one that is not under way here."""
        at = self._places.get(id(trace))
        if at is None:
            return None
        known = self._entries.get(id(trace))
        if known is None:
            outermost = all(self._places[other] <= at for other in self._staging)
            applied = any(place > at for place, _ in self.applied)
            known = self._entries[id(trace)] = _Entry(at, self._inputs(trace, at), outermost, applied)
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

    def door(self, entry: _Entry) -> _Door | None:
        """The call of a jitted function that began a trace, seen through a wrapper of another package."""
        for at in range(entry.at, len(self._levels)):
            level = self._levels[at]
            if level.kind != "jax":
                return None
            door = entries.door_in(level.frame.f_code.co_name, self._locals[at])
            if door is None:
                continue
            function, info, args, kwargs = door
            seen = see_through(function, level.frame)
            if seen is not None:
                leaves = _named("jit", seen.function, seen.args, seen.kwargs).leaves
                return _Door(seen.function, leaves, filtered=True)
            if not entries.holds_states(args, kwargs):
                return _Door(function, [])
            named = traced_leaves(function, jits.statics_of(info), args, kwargs)
            return _Door(function, [] if isinstance(named, Missing) else named)
        return None

    def path_of(self, value: Any) -> tuple[str, _Applied] | None:
        """The path of a value among the arguments of a transformation that stages nothing, the outermost first."""
        if tracers.is_tracer(value):
            known = self._direct.get(id(value))
            return known if known is not None else self.path_of(tracers.value_below(value))
        for _, applied in reversed(self.applied):
            paths = [path for path, leaf in applied.leaves if leaf is value]
            if len(paths) == 1:
                return paths[0], applied
        return None

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
        self._called = _Called("", "")
        self._flags = {"batched": False, "mapped": False, "carried": False, "keyed": False, "exact": True}
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
        return Origin(
            arguments=tuple(self._arguments.values()),
            inner=tuple(inner for _, inner in self._inner),
            chain=steps.shortened([step for _, part in self._chain for step in part], _KEPT),
            operations=self._operations,
            called=self._called.function,
            called_file=self._called.file,
            called_line=self._called.line,
            transformation=self._called.transformation,
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
            found = self._origins.path_of(tracer)
            if found is not None:
                path, applied = found
                self._called = _Called(applied.function, applied.transformation)
                self._add(path, tracer, self._given(path, applied))
                return
        self._flags["exact"] = False

    def _one_trace(self, group: list[Any]) -> list[Any]:
        trace = tracers.trace_of(group[0])
        entry = self._origins.entry(trace)
        history = tracers.history(group)
        info = tracers.info_of(trace)
        if isinstance(history, Missing):
            self._notes.append(history.reason)
            self._flags["exact"] = False
            return []
        at = entry.at if entry is not None else 0
        made = steps.of_operations(history.operations, _KEPT)
        self._operations += len(made) if len(history.operations) <= steps.most(_KEPT) else len(history.operations)
        self._chain.append((at, made))
        outer = list(history.constants)
        if entry is None or isinstance(info, Missing):
            self._flags["exact"] &= not history.inputs
            if not isinstance(info, Missing) and not self._called.function:
                self._called = _Called(info.function, info.transformation, info.file, info.line)
            return [value for value in outer if tracers.is_tracer(value)]
        outer.extend(self._inputs(sorted(set(history.inputs)), entry, info, trace))
        return [value for value in outer if tracers.is_tracer(value)]

    def _inputs(self, positions: list[int], entry: _Entry, info: TraceInfo, trace: Any) -> list[Any]:
        names = {at: info.arguments[at] if at < len(info.arguments) else f"argument {at}" for at in positions}
        self._flags["carried"] |= bool(positions) and info.transformation in _LOOPS
        self._flags["mapped"] |= bool(positions) and info.transformation in _MAPS
        if entry.outermost:
            self._outermost(names, entry, info, trace)
            return []
        if positions and kind_of_file(info.file) != "jax":  # JAX wraps the user's function in one of its own at times
            self._inner.append((entry.at, InnerArguments(info.function, info.transformation, tuple(names.values()))))
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
                f"{', '.join(constant)} of `{info.function}` starts from a value that is no argument of the "
                "outermost function"
            )
        return outer

    def _outermost(self, names: dict[int, str], entry: _Entry, info: TraceInfo, trace: Any) -> None:
        """Name the arguments: those of a `grad` or `vmap` around, where all are found there, else the trace's own."""
        outside = self._passed_in(list(names), entry) if entry.applied and entry.inputs is not None else None
        if outside:
            self._called = _Called(outside[0][1].function, outside[0][1].transformation)
            for at, (path, applied) in zip(names, outside, strict=True):
                self._add(path, trace.frame.invars[at], self._given(path, applied))
            return
        door = self._origins.door(entry)
        if door is not None and entry.inputs is not None:
            paths = _in_order(entry.inputs, door.leaves)
            names = {at: paths.get(at, name) for at, name in names.items()}
        self._flags["exact"] &= not entry.applied
        if kind_of_file(info.file) == "jax":  # JAX has wrapped the user's function in one of its own, as pmap does
            self._flags["exact"] = False
            return
        transformation = "filter_jit" if door is not None and door.filtered else info.transformation
        self._called = _Called(info.function, transformation, info.file, info.line)
        for at, name in names.items():
            passed = None if entry.inputs is None else entry.inputs[at]
            given = self._origins.eyes.look(None if door is None else door.function, name, passed)
            self._add(name, trace.frame.invars[at], given)

    def _given(self, path: str, applied: _Applied) -> Given | None:
        """What was passed to a transformation that stages nothing; a recording does not remember its calls."""
        leaf = next((leaf for name, leaf in applied.leaves if name == path), None)
        return self._origins.eyes.look(None, path, leaf)

    def _passed_in(self, positions: list[int], entry: _Entry) -> list[tuple[str, _Applied]] | None:
        """The paths of inputs among the arguments of a transformation around; None if one is not among them."""
        found: list[tuple[str, _Applied]] = []
        for at in positions:
            value = entry.inputs[at] if entry.inputs is not None else None
            for part in (value, *tracers.layers(value)[1]) if tracers.is_tracer(value) else (value,):
                self._flags["batched"] |= tracers.is_tracer(part) and tracers.is_batched(part)
                one = self._origins.path_of(part)
                if one is not None:
                    found.append(one)
                    break
            else:
                return None
        return found

    def _add(self, path: str, value: Any, given: Given | None) -> None:
        known = tracers.type_of(value)
        if isinstance(known, Missing):
            self._arguments.setdefault(path, Argument(path, given=given))
            return
        dtype, shape = known
        text = f"{dtype}[{','.join(map(str, shape))}]"
        self._flags["keyed"] |= dtype.startswith("key<")
        size = 1
        for dimension in shape:
            size *= dimension
        if shape and size >= self._largest[0]:
            self._largest = (size, path)
        self._arguments.setdefault(path, Argument(path, text, scalar=not shape, given=given))


def _in_order(inputs: list[Any], leaves: list[tuple[str, Any]]) -> dict[int, str]:
    """The paths of inputs among leaves that come in the same order; an object may be there more than once."""
    found: dict[int, str] = {}
    start = 0
    for at, value in enumerate(inputs):
        place = next((n for n in range(start, len(leaves)) if leaves[n][1] is value), None)
        if place is not None:
            found[at] = leaves[place][0]
            start = place + 1
    return found


def transformation_of(applier: str) -> str:
    """What a function of JAX's that applies a transformation is called by the user."""
    if applier in ("vjp", "jvp", "linearize"):
        return applier
    return {"jit": "jit", "vmap_f": "vmap", "jacfun": "jacobian", "_jvp": "jvp", "_vjp": "vjp"}.get(applier, "grad")


def _named(applier: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Applied:
    transformation = transformation_of(applier)
    paths = entries.leaf_paths(function, args, kwargs)
    name = str(getattr(function, "__qualname__", getattr(function, "__name__", "")))
    return _Applied(name, transformation, [] if isinstance(paths, Missing) else paths)
