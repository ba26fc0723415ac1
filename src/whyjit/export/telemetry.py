"""Batches of an observer as spans and metrics."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from opentelemetry.trace import Status, StatusCode

from whyjit.analyse.explain import explained
from whyjit.analyse.paths import short

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Tracer

    from whyjit.model.batch import Batch
    from whyjit.model.finding import Explained
    from whyjit.model.recording import Environment, Function, Specialization, Stage

# A new specialization is compared with so many earlier ones of its function; older ones are forgotten.
COMPARED = 200
_OTHER = "(other)"
_NOBODY = "(unattributed)"

Attributes = dict[str, str | int | bool]
_Key = tuple[int, int]


class Telemetry:
    """Makes spans and counts of what is new in each batch.

    `contexts` holds, for each specialization, the contexts in which its stages happened, oldest first; whoever hears of
    them appends, and what was exported is taken out.
    """

    def __init__(self, tracer: Tracer, meter: Meter, functions: int) -> None:
        self.contexts: dict[_Key, list[Context]] = {}
        self._tracer = tracer
        self._limit = functions
        self._named: set[str] = set()
        self._functions: dict[int, Function] = {}
        self._earlier: dict[int, deque[Specialization]] = {}
        self._exported: dict[_Key, int] = {}
        self._summed: dict[_Key, dict[str, int]] = {}
        self._waiting: dict[_Key, Specialization] = {}
        self._counters = {
            "trace": meter.create_counter("whyjit.traces", "{trace}", "Python bodies traced by jax.jit"),
            "compile": meter.create_counter("whyjit.compiles", "{compile}", "programs compiled by XLA"),
            "cache_load": meter.create_counter(
                "whyjit.cache_loads", "{load}", "executables found in the persistent compilation cache"
            ),
        }
        self._needless = meter.create_counter(
            "whyjit.needless_retraces", "{trace}", "retraces whose program was there already, letter for letter"
        )
        self._durations = meter.create_histogram(
            "whyjit.work.duration", "s", "how long a trace, lowering, compile or load took"
        )

    def take(self, batch: Batch) -> None:
        """Export a batch of an observer's."""
        self._functions.update((function.id, function) for function in batch.functions)
        due = {**self._waiting, **{(spec.function, spec.number): spec for spec in batch.specializations}}
        waited, self._waiting = self._waiting, {}
        for key, spec in sorted(due.items(), key=lambda entry: entry[1].started):
            if "summed" in spec.notes:
                self._add(key, spec)
                continue
            if len(spec.stages) <= self._exported.get(key, 0):
                continue
            if spec.fingerprint is None and not spec.error and key not in waited and not batch.final:
                self._waiting[key] = spec  # its program is being written down; the next batch knows it
                continue
            self._export(key, spec, batch.environment)
        for stage in batch.unattributed:
            self._count(stage, _NOBODY, "unknown")
            self._span(stage, {"whyjit.function": _NOBODY}, batch.environment.started, None)

    def _export(self, key: _Key, spec: Specialization, environment: Environment) -> None:
        done = self._exported.get(key, 0)
        self._exported[key] = len(spec.stages)
        fresh = spec.stages[done:]
        parents = self._parents(key, len(fresh))
        one = self._explain(spec)
        function = self._functions[spec.function]
        name = self._name(function)
        traced = [stage for stage in fresh if stage.kind == "trace"]
        needless = bool(traced) and one.delta == "identical" and not spec.error and spec.parent is None
        if needless:
            self._needless.add(len(traced), {"whyjit.function": name, "whyjit.cause": one.cause.kind})
        attributes = _attributes(function, one, environment, needless=needless)
        for stage, parent in zip(fresh, parents, strict=True):
            self._count(stage, name, one.cause.kind)
            self._span(stage, attributes, environment.started, parent, error=spec.error)

    def _parents(self, key: _Key, count: int) -> list[Context | None]:
        """The contexts of the oldest stages not exported yet. Those of stages that came after the batch stay."""
        noted = self.contexts.get(key, [])
        taken: list[Context | None] = [*noted[:count]]
        del noted[:count]
        if not noted:
            self.contexts.pop(key, None)
        return taken + [None] * (count - len(taken))

    def _add(self, key: _Key, spec: Specialization) -> None:
        """An entry that stands for many specializations: they are counted, and have no spans."""
        self.contexts.pop(key, None)
        name = self._name(self._functions[spec.function])
        before = self._summed.get(key, {})
        for stage in spec.stages:
            new = stage.count - before.get(stage.kind, 0)
            if new and stage.kind in self._counters:
                self._counters[stage.kind].add(new, {"whyjit.function": name, "whyjit.cause": "unknown"})
        self._summed[key] = {stage.kind: stage.count for stage in spec.stages}

    def _explain(self, spec: Specialization) -> Explained:
        """The specialization with its cause, compared with the earlier ones that are remembered."""
        earlier = self._earlier.setdefault(spec.function, deque(maxlen=COMPARED))
        others = [other for other in earlier if other.number != spec.number]
        earlier.clear()
        earlier.extend([*others, spec])
        before = [other for other in others if other.number < spec.number]
        return explained([*before, spec])[-1]

    def _name(self, function: Function) -> str:
        """The function's name as metrics have it."""
        name = function.qualname if function.origin != "eager" else function.name
        if name not in self._named:
            if len(self._named) >= self._limit:
                return _OTHER
            self._named.add(name)
        return name

    def _count(self, stage: Stage, name: str, cause: str) -> None:
        about: Attributes = {"whyjit.function": name, "whyjit.cause": cause}
        if stage.kind in self._counters:
            self._counters[stage.kind].add(1, about)
        seconds = stage.own if stage.kind == "trace" else stage.seconds
        self._durations.record(seconds, {"whyjit.function": name, "whyjit.work": stage.kind})

    def _span(
        self, stage: Stage, attributes: Attributes, began: float, parent: Context | None, *, error: str = ""
    ) -> None:
        """A span with the times at which it happened. `began` is the Unix time of the recording's start, in seconds."""
        start = began + stage.start
        span = self._tracer.start_span(
            f"jax.{stage.kind}", context=parent, attributes=attributes, start_time=_nanoseconds(start)
        )
        if error and stage.kind == "trace":
            span.set_status(Status(StatusCode.ERROR, error))
        span.end(_nanoseconds(start + stage.seconds))


def _attributes(function: Function, one: Explained, environment: Environment, *, needless: bool) -> Attributes:
    """What a span says of its specialization."""
    spec, cause = one.specialization, one.cause
    found: Attributes = {
        "whyjit.function": function.qualname if function.origin != "eager" else function.name,
        "whyjit.specialization": spec.number,
        "whyjit.cause": cause.kind,
        "whyjit.cause.text": cause.text,
        "whyjit.needless": needless,
        "code.file.path": function.file,
        "code.line.number": function.line,
    }
    if spec.call_site.file:
        place = short(spec.call_site.file, environment.directory)
        found["whyjit.call_site"] = f"{place}:{spec.call_site.line}"
    if one.delta is not None:
        found["whyjit.program_delta"] = one.delta
    if spec.operation:
        found["whyjit.operation"] = spec.operation
    return found


def _nanoseconds(moment: float) -> int:
    return int(moment * 1e9)
