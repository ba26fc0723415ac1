"""Static arguments of a live function made ordinary ones, and both versions compared on recorded calls."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from whyjit.jaxlink import comparing, gradients, jits
from whyjit.jaxlink.folding import Folded, put
from whyjit.jaxlink.nodes import Graph
from whyjit.model.trial import Point, Refusal, Request, Sameness, Trial

_CALLBACKS = frozenset({"pure_callback", "io_callback", "debug_callback", "outside_call"})
_REPEATS = 7
_TIMING_S = 1.0

Call = tuple[tuple[Any, ...], dict[str, Any]]


class _Version(NamedTuple):
    """A jitted version of the function and the number of times its body has run."""

    jitted: Any
    runs: list[int]


def try_statics(
    function: Callable[..., Any],
    calls: Sequence[Call],
    request: Request,
    unlike: Callable[[Sequence[Any]], str] = lambda _programs: "",
) -> Trial:
    """Make the trial that is asked for. Nothing of the function's faults is raised.

    `unlike` says of the original's programs why they are not those that were recorded; "" if they are.
    """
    work = _Trial(function, calls, request)
    try:
        programs = [_staged(work.old, call) for call in calls]
    except Exception as raised:
        return Trial(failed=f"the function does not run with these arguments: {_line(raised)}")
    effects = _effects(programs)
    reason = "" if effects else unlike(programs)
    if reason:
        return Trial(failed=reason)
    traces = work.old.runs[0]
    unstable = work.unstable(programs[0])
    same = work.programs_alike(programs)
    trial = Trial(programs=same, traces=traces, effects=effects, unstable=unstable, fixed_traces=work.fixed_traces())
    if effects or unstable:
        return trial
    try:
        changed, traced = work.changed()
    except OverflowError:
        return work.with_points(trial, programs, ())
    except Exception as raised:
        refusal = _refusal(raised, function)
        return work.filled(trial, refusal=refusal)
    trial = work.filled(trial, traced=tuple(traced))
    trial = work.with_points(trial, programs, changed)
    return work.run(trial)


class _Trial:
    def __init__(self, function: Callable[..., Any], calls: Sequence[Call], request: Request) -> None:
        self._function = function
        self._calls = calls
        self._request = request
        self._began = time.perf_counter()
        self._parameters = inspect.signature(function).parameters
        self.old = self._version(request.statics)
        self.new = self._version([name for name in request.statics if name not in request.names])

    def _version(self, statics: Sequence[str]) -> _Version:
        import jax

        count = [0]

        @functools.wraps(self._function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            count[0] += 1
            return self._function(*args, **kwargs)

        return _Version(jax.jit(counted, **jits.static_options(counted, statics)), count)

    def filled(self, trial: Trial, **fields: Any) -> Trial:
        """A trial with more known of it."""
        import msgspec

        return msgspec.structs.replace(trial, **fields)

    def value(self, call: Call, name: str) -> Any:
        """The value of a parameter in a call."""
        args, kwargs = call
        at = list(self._parameters).index(name)
        if name in kwargs:
            return kwargs[name]
        return args[at] if at < len(args) else self._parameters[name].default

    def shown(self, call: Call) -> str:
        """The values that are on trial, as text."""
        values = [_shown(self.value(call, name)) for name in self._request.names]
        if len(values) == 1:
            return values[0]
        return ", ".join(f"{name}={value}" for name, value in zip(self._request.names, values, strict=True))

    # The original.

    def unstable(self, first: Any) -> str:
        """Whether the original is another program, or gives other results, when it is made again."""
        graph = Graph()
        again = self._version(self._request.statics)
        old, new = put(graph, first, {}), put(graph, _staged(again, self._calls[0]), {})
        if old.roots != new.roots:
            return "traced twice with the same arguments, it gives two programs"
        args, kwargs = self._calls[0]
        try:
            found = comparing.difference(self.old.jitted(*args, **kwargs), self.old.jitted(*args, **kwargs))
        except Exception as raised:
            return f"it does not run: {_line(raised)}"
        return f"run twice with the same arguments, it gives two results: {found}" if found else ""

    def programs_alike(self, programs: list[Any]) -> Sameness:
        """How the programs of different values compare: calls that differ in nothing but these values are compared."""
        graph = Graph()
        groups: dict[Any, list[Folded]] = {}
        for call, program in zip(self._calls, programs, strict=True):
            groups.setdefault(self._rest(call), []).append(put(graph, program, {}))
        found: Sameness = "not compared"
        for group in groups.values():
            for one in group[1:]:
                same = _sameness(graph, group[0], one)
                found = max(found, same, key=_ORDER.index)
        return found

    def _rest(self, call: Call) -> Any:
        """Everything that a call's specialization depends on but for the values on trial."""
        import jax

        arguments = inspect.signature(self._function).bind(*call[0], **call[1]).arguments
        others = {name: value for name, value in arguments.items() if name not in self._request.names}
        leaves, tree = jax.tree_util.tree_flatten(others)
        return tree, tuple(comparing.kind_of(leaf) for leaf in leaves)

    def fixed_traces(self) -> int:
        """The traces of the original if the values on trial were those of the first call in all calls."""
        version = self._version(self._request.statics)
        values = {name: self.value(self._calls[0], name) for name in self._request.names}
        for args, kwargs in self._calls:
            given = list(args)
            named = dict(kwargs)
            for name, value in values.items():
                at = list(self._parameters).index(name)
                if at < len(given):
                    given[at] = value
                elif name in named:
                    named[name] = value
            try:
                _staged(version, (tuple(given), named))
            except Exception:
                return 0
        return version.runs[0]

    # The changed version.

    def changed(self) -> tuple[list[Any], list[bool]]:
        """The programs of the changed version at each call, and whether the call made it trace."""
        programs: list[Any] = []
        traced: list[bool] = []
        for call in self._calls:
            before = self.new.runs[0]
            programs.append(_staged(self.new, call))
            traced.append(self.new.runs[0] > before)
        return programs, traced

    def with_points(self, trial: Trial, programs: list[Any], changed: Sequence[Any]) -> Trial:
        """The comparison of both versions at each call."""
        if not changed:
            large = [call for call in self._calls if self._overflows(call)]
            return self.filled(trial, points=tuple(Point(self.shown(call), overflow=True) for call in large))
        triples = zip(self._calls, programs, changed, strict=True)
        return self.filled(trial, points=tuple(self._point(*triple) for triple in triples))

    def _overflows(self, call: Call) -> bool:
        import jax

        try:
            for name in self._request.names:
                jax.tree_util.tree_map(jax.numpy.asarray, self.value(call, name))
        except OverflowError:
            return True
        return False

    def _point(self, call: Call, old: Any, new: Any) -> Point:
        shown = self.shown(call)
        try:
            known = self._known(call, new)
            graph = Graph()
            left, right = put(graph, old, {}), put(graph, new, known)
        except OverflowError:
            return Point(shown, overflow=True)
        same = _sameness(graph, left, right)
        types = next((text for text in map(comparing.types, old.out_avals, new.out_avals) if text), "")
        if same == "constants":
            pair = graph.first_constants(left.roots, right.roots)
            if pair is not None:
                whole = pair[0].dtype.kind in "iub"
                unused = not _uses(new.jaxpr, known)
                return Point(shown, same, _number(pair[0]), _number(pair[1]), whole=whole, types=types, unused=unused)
        olds, news = graph.primitives(left.roots), graph.primitives(right.roots)
        return Point(
            shown,
            same,
            types=types,
            only_old=tuple(sorted(olds - news)),
            only_new=tuple(sorted(news - olds)),
            opaque=tuple(sorted(right.opaque)),
        )

    def _known(self, call: Call, program: Any) -> dict[int, Any]:
        """The inputs of the changed version's program that are the values on trial, by position."""
        import jax

        statics = set(self._request.statics) - set(self._request.names)
        args, kwargs = call
        names = list(self._parameters)
        known: dict[int, Any] = {}
        at = 0
        given = [(names[place] if place < len(names) else "", value) for place, value in enumerate(args)]
        for name, value in [*given, *sorted(kwargs.items())]:
            if name in statics:
                continue
            for leaf in jax.tree_util.tree_leaves(value):
                if name in self._request.names:
                    known[at] = leaf
                at += 1
        if at != len(program.jaxpr.invars):
            raise ValueError(f"the program has {len(program.jaxpr.invars)} inputs for {at} values")
        return known

    def run(self, trial: Trial) -> Trial:
        """Outputs, gradients and times of both versions on some of the calls."""
        chosen = _spread(len(self._calls), self._request.runs)
        outputs, compared = "", 0
        for at in chosen:
            if compared and self._has_used(0.5):
                break
            compared += 1
            args, kwargs = self._calls[at]
            try:
                result = self.new.jitted(*args, **kwargs)
            except Exception as raised:
                outputs = f"with {self.shown(self._calls[at])} the changed function fails: {_line(raised)}"
                break
            outputs = comparing.difference(self.old.jitted(*args, **kwargs), result)
            if outputs:
                outputs = f"with {self.shown(self._calls[at])} {outputs}"
                break
        calls = [self._calls[at] for at in chosen[:compared]]
        found = "not run" if self._has_used(0.6) else self._gradients([calls[at] for at in _spread(len(calls), 2)])
        seconds = (0.0, 0.0) if outputs or self._has_used(0.8) else self._seconds(calls[-1])
        return self.filled(trial, outputs=outputs, gradients=found, compared=compared, seconds=seconds)

    def _has_used(self, part: float) -> bool:
        """Whether a part of the time for this trial is gone."""
        return time.perf_counter() - self._began > part * self._request.seconds

    def _gradients(self, calls: list[Call]) -> str:
        leave = frozenset(self._request.names)
        found = "none"
        for args, kwargs in calls:
            try:
                old = gradients.gradient(self.old.jitted, args, kwargs, leave)
            except Exception:  # there is no gradient to lose
                old = None
            if old is None:
                continue
            try:
                new = gradients.gradient(self.new.jitted, args, kwargs, leave)
            except Exception as raised:
                return f"lost: {_line(raised)}"
            found = comparing.difference(old, new)
            if found:
                return f"the gradient differs: {found}"
        return found

    def _seconds(self, call: Call) -> tuple[float, float]:
        """The shortest of a few runs of each version, by turns."""
        import jax

        args, kwargs = call
        best = [float("inf"), float("inf")]
        until = time.perf_counter() + _TIMING_S
        for _ in range(_REPEATS):
            if time.perf_counter() > until and best[1] < float("inf"):
                break
            for which, version in enumerate((self.old, self.new)):
                began = time.perf_counter()
                jax.block_until_ready(version.jitted(*args, **kwargs))
                best[which] = min(best[which], time.perf_counter() - began)
        return best[0], best[1]


_ORDER: tuple[Sameness, ...] = ("not compared", "equal", "constants", "different")


def _staged(version: _Version, call: Call) -> Any:
    args, kwargs = call
    return version.jitted.trace(*args, **kwargs).jaxpr


def _sameness(graph: Graph, one: Folded, other: Folded) -> Sameness:
    if one.roots == other.roots:
        return "equal"
    shapes = [[graph.shape(node) for node in side.roots] for side in (one, other)]
    return "constants" if shapes[0] == shapes[1] else "different"


def _uses(jaxpr: Any, places: Iterable[int]) -> bool:
    """Whether a program does anything with one of these inputs."""
    inputs = {jaxpr.invars[at] for at in places}
    used = [*(operand for equation in jaxpr.eqns for operand in equation.invars), *jaxpr.outvars]
    return any(not hasattr(operand, "val") and operand in inputs for operand in used)


def _effects(programs: list[Any]) -> str:
    for program in programs:
        named = sorted({str(effect) for effect in getattr(program, "effects", ()) or ()})
        graph = Graph()
        called = sorted(graph.primitives(put(graph, program, {}).roots) & _CALLBACKS)
        if named or called:
            return ", ".join(called or named)
    return ""


def _spread(count: int, wanted: int) -> list[int]:
    """At most `wanted` of `count` places, first and last among them."""
    if count <= wanted:
        return list(range(count))
    return sorted({round(at * (count - 1) / max(1, wanted - 1)) for at in range(wanted)})


def _shown(value: Any) -> str:
    if isinstance(value, np.generic):
        return f"{type(value).__name__}({value.item()!r})"
    return repr(value)[:60]


def _number(array: np.ndarray) -> str:
    if array.size != 1:
        return f"an array of {array.size}"
    item = array.reshape(()).item()
    return f"{item:.7g}" if isinstance(item, float) else str(item)


def _line(raised: BaseException) -> str:
    text = " ".join(str(raised).split())
    first = text.partition(". ")[0]
    return f"{type(raised).__name__}: {first[:200]}"


def _refusal(raised: BaseException, function: Callable[..., Any]) -> Refusal:
    """Where in the user's file it happened, and the expression there."""
    file = function.__code__.co_filename
    found = None
    trace = raised.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace
        trace = trace.tb_next
    if found is None:
        return Refusal(type(raised).__name__, _line(raised))
    positions = list(found.tb_frame.f_code.co_positions())
    span = positions[found.tb_lasti // 2] if found.tb_lasti // 2 < len(positions) else (None,) * 4
    return Refusal(type(raised).__name__, _line(raised), _cut(function, span), found.tb_lineno)


def _cut(function: Callable[..., Any], span: tuple[int | None, ...]) -> str:
    """A stretch of the source that was loaded; "" where it takes several lines or is not known."""
    first, last, begin, end = span
    lines = str(function.__globals__.get("__whyjit_source__", "")).splitlines()
    if first is None or first != last or not 0 < first <= len(lines):
        return ""
    return lines[first - 1].encode()[begin:end].decode("utf-8", "replace")
