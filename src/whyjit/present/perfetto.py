"""A run as a trace for ui.perfetto.dev: nested traces, lowerings and compiles on a track for each thread, and counters.

It is Perfetto's own format, made with its package (`pip install 'whyjit[perfetto]'`): the JSON that its viewer also
opens is kept for old traces only. Moments count from the start of the run's first process.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.errors import WhyjitError
from whyjit.present import paths
from whyjit.present.calls import BINS, Brief, take
from whyjit.present.clean import clean, encodable
from whyjit.present.html.timeline import whole

if TYPE_CHECKING:
    from whyjit.model.finding import Explained, FunctionReport, Report

_MISSING = "the format perfetto needs the package of that name; install it with: pip install 'whyjit[perfetto]'"
_NOUNS = {"trace": "trace", "lower": "lower", "compile": "compile", "cache_load": "load"}
_SEQUENCE = 1
_SHORTEST = 1e-6


class Process(NamedTuple):
    """One process of a run: its report, and its ledger rows in brief (position, function, count, moment)."""

    report: Report
    ledger: Iterable[Brief] = ()


class _Span(NamedTuple):
    start: float
    end: float
    kind: str
    function: FunctionReport
    explained: Explained


def require() -> None:
    """Raise a `WhyjitError` that says what to install, where Perfetto's package is missing."""
    try:
        import perfetto.trace_builder.proto_builder  # noqa: F401 - whether it is there
    except ImportError as fault:
        raise WhyjitError(_MISSING) from fault


def render(processes: Sequence[Process]) -> bytes:
    """The processes of a run as one trace, a protobuf of type `perfetto.protos.Trace`."""
    require()
    from perfetto.trace_builder.proto_builder import TraceProtoBuilder

    builder = TraceProtoBuilder()
    first = min((process.report.environment.started for process in processes), default=0.0)
    for number, process in enumerate(processes, 1):
        _Tracks(builder, number, process.report.environment.started - first).process(process)
    return bytes(builder.serialize())


class _Tracks:
    """Writes the tracks of one process. `shift` is its start, in seconds from the run's."""

    def __init__(self, builder: Any, number: int, shift: float) -> None:
        self._builder = builder
        self._shift = shift
        self._uuid = number << 32
        self._tracks = 0

    def process(self, process: Process) -> None:
        report = process.report
        environment = report.environment
        pid = environment.pid or self._uuid >> 32
        top = self._track()
        top.process.pid = pid
        top.process.process_name = clean(" ".join(environment.argv) or "program")
        top.process.cmdline.extend(encodable(argument) for argument in environment.argv)
        threads = _threads(report)
        for number, thread in enumerate(sorted(threads), 1):
            for lane, spans in enumerate(_lanes(threads[thread])):
                track = self._track()
                if lane:  # work that overlaps: threads that could not be told apart
                    track.parent_uuid = top.uuid
                    track.name = f"thread {number}, overlapping {lane}"
                else:
                    track.thread.pid = pid
                    track.thread.tid = number  # Python's own number for a thread may be too large for this
                    track.thread.thread_name = f"thread {number}"
                self._slices(track.uuid, spans, environment.directory)
        self._counters(top.uuid, process)

    def _track(self) -> Any:
        self._tracks += 1
        descriptor = self._packet(0.0).track_descriptor
        descriptor.uuid = self._uuid + self._tracks
        return descriptor

    def _packet(self, moment: float) -> Any:
        packet = self._builder.add_packet()
        packet.timestamp = max(0, round((self._shift + moment) * 1e9))
        packet.trusted_packet_sequence_id = _SEQUENCE
        return packet

    def _event(self, track: int, moment: float) -> Any:
        event = self._packet(moment).track_event
        event.track_uuid = track
        return event

    def _slices(self, track: int, spans: Sequence[_Span], directory: str) -> None:
        """Spans that nest, as beginnings and ends in the order of time."""
        open_spans: list[_Span] = []
        for span in spans:
            while open_spans and open_spans[-1].end <= span.start + _SHORTEST:
                self._end(track, open_spans.pop())
            self._begin(track, span, directory)
            open_spans.append(span)
        while open_spans:
            self._end(track, open_spans.pop())

    def _begin(self, track: int, span: _Span, directory: str) -> None:
        event = self._event(track, span.start)
        event.type = event.TYPE_SLICE_BEGIN
        about, made = span.function.function, span.explained.specialization
        event.name = f"{_NOUNS[span.kind]} {clean(made.operation or about.name)}"
        event.categories.append(span.kind)
        site = made.call_site
        if site.file:
            event.source_location.file_name = encodable(paths.short(site.file, directory))
            event.source_location.line_number = max(site.line, 0)
            event.source_location.function_name = encodable(site.function)
        told = {
            "function": about.qualname,
            "defined in": f"{paths.short(about.file, directory)}:{about.line}" if about.file else "",
            "cause": span.explained.cause.kind,
            "why": span.explained.cause.text,
            "program": span.explained.delta or "",
        }
        for name, value in told.items():
            if value:
                annotation = event.debug_annotations.add()
                annotation.name = name
                annotation.string_value = clean(value)
        number = event.debug_annotations.add()
        number.name, number.int_value = "specialization", made.number

    def _end(self, track: int, span: _Span) -> None:
        event = self._event(track, span.end)
        event.type = event.TYPE_SLICE_END

    def _counters(self, top: int, process: Process) -> None:
        """How many traces, lowerings and compiles there were so far, the seconds they took, and calls per second."""
        spans = sorted(
            (span for spans in _threads(process.report).values() for span in spans), key=lambda span: span.end
        )
        for kind, name in (("trace", "traces"), ("lower", "lowerings"), ("compile", "compiles")):
            ends = [span.end for span in spans if span.kind == kind]
            self._counter(top, name, "", list(zip([0.0, *ends], range(len(ends) + 1), strict=True)) if ends else [])
        stages = sorted(_stages(process.report))
        sums = itertools.accumulate((seconds for _, seconds in stages), initial=0.0)
        moments = [0.0, *(end for end, _ in stages)]
        lost = list(zip(moments, sums, strict=True)) if stages else []
        self._counter(top, "seconds lost to tracing and compiling", "s", lost)
        seconds = whole(process.report)
        density = take(process.ledger, lambda _: (), seconds, 0).density
        if any(density):
            width = seconds / BINS
            self._counter(
                top, "calls per second", "1/s", [(at * width, calls / width) for at, calls in enumerate(density)]
            )

    def _counter(self, top: int, name: str, unit: str, points: Sequence[tuple[float, float]]) -> None:
        if not points:
            return
        track = self._track()
        track.parent_uuid = top
        track.name = name
        if unit:
            track.counter.unit_name = unit
        else:
            track.counter.unit = track.counter.UNIT_COUNT
        uuid = track.uuid
        for moment, value in points:
            event = self._event(uuid, moment)
            event.type = event.TYPE_COUNTER
            if isinstance(value, int):
                event.counter_value = value
            else:
                event.double_counter_value = value


def _threads(report: Report) -> dict[int, list[_Span]]:
    """All work by thread, in the order of its beginning, longer work first."""
    threads: dict[int, list[_Span]] = {}
    for function in report.functions:
        for explained in function.specializations:
            made = explained.specialization
            for stage in made.stages:
                span = _Span(stage.start, stage.start + stage.seconds, stage.kind, function, explained)
                threads.setdefault(stage.thread or made.thread, []).append(span)
    for spans in threads.values():
        spans.sort(key=lambda span: (span.start, -span.end))
    return threads


def _lanes(spans: Sequence[_Span]) -> list[list[_Span]]:
    """Spans that nest within each lane; a slice of a track cannot end after the one around it."""
    lanes: list[list[_Span]] = []
    ends: list[list[float]] = []
    for span in spans:
        for lane, open_ends in zip(lanes, ends, strict=True):
            while open_ends and open_ends[-1] <= span.start + _SHORTEST:
                open_ends.pop()
            if not open_ends or span.end <= open_ends[-1] + _SHORTEST:
                end = min(span.end, open_ends[-1]) if open_ends else span.end
                lane.append(span._replace(end=end))
                open_ends.append(end)
                break
        else:
            lanes.append([span])
            ends.append([span.end])
    return lanes


def _stages(report: Report) -> Iterable[tuple[float, float]]:
    """When each piece of work ended, and its seconds without what is nested in it."""
    for function in report.functions:
        for explained in function.specializations:
            for stage in explained.specialization.stages:
                own = stage.own if stage.kind == "trace" else stage.seconds
                yield stage.start + stage.seconds, own
