"""The trace for Perfetto, read back with the schema that Perfetto publishes."""

import importlib
import sys

import msgspec
import present_samples as samples
import pytest

pytest.importorskip("perfetto")
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
from present_builders import environment

from whyjit.errors import WhyjitError
from whyjit.model.recording import Stage
from whyjit.present import perfetto
from whyjit.present.perfetto import Process


class Read:
    """A trace by its tracks: their descriptors, their slices with depths, and the points of their counters."""

    def __init__(self, data):
        trace = Trace()
        assert trace.ParseFromString(data) == len(data)
        self.tracks, self.slices, self.points = {}, {}, {}
        moments = {}
        for packet in trace.packet:
            if packet.HasField("track_descriptor"):
                assert packet.track_descriptor.uuid not in self.tracks
                self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
                continue
            event = packet.track_event
            assert event.track_uuid in self.tracks
            assert packet.timestamp >= moments.get(event.track_uuid, 0)
            moments[event.track_uuid] = packet.timestamp
            self.event(event, packet.timestamp)
        assert not [name for name, stack in self.slices.items() if any(len(each) < 4 for each in stack)]

    def event(self, event, moment):
        if event.type == event.TYPE_COUNTER:
            assert self.tracks[event.track_uuid].HasField("counter")
            value = event.counter_value if event.HasField("counter_value") else event.double_counter_value
            self.points.setdefault(self.tracks[event.track_uuid].name, []).append((moment, value))
            return
        spans = self.slices.setdefault(event.track_uuid, [])
        unfinished = [each for each in spans if len(each) == 3]
        if event.type == event.TYPE_SLICE_BEGIN:
            spans.append([event, moment, len(unfinished)])
        else:
            unfinished[-1].append(moment)

    def named(self, name):
        return [each for spans in self.slices.values() for each in spans if each[0].name == name]


def read(*built):
    return Read(perfetto.render([Process(each.report, briefs(each)) for each in built]))


def briefs(built):
    rows = sorted((row for each in built.rows.values() for row in each), key=lambda row: row.moment)
    return [(place, row.function, row.count, row.moment) for place, row in enumerate(rows)]


def test_threads_hold_nested_slices():
    made = read(samples.digits())
    steps = made.named("trace train_step")
    assert len(steps) == 40
    event, begin, depth, end = steps[0]
    assert (begin, end, depth) == (1_000_000_000, 1_065_000_000, 0)
    assert list(event.categories) == ["trace"]
    assert (event.source_location.file_name, event.source_location.line_number) == ("digits.py", 72)
    (inner, *_) = made.named("trace log_softmax")
    assert inner[2] == 1
    assert begin < inner[1] < inner[3] <= end
    told = {each.name: each.string_value or each.int_value for each in steps[1][0].debug_annotations}
    assert told["cause"] == "shape"
    assert told["program"] == "shapes"
    assert told["specialization"] == 2


def test_every_stage_is_a_slice():
    built = samples.digits()
    made = read(built)
    stages = [
        stage
        for function in built.report.functions
        for each in function.specializations
        for stage in each.specialization.stages
    ]
    slices = [each for spans in made.slices.values() for each in spans]
    assert len(slices) == len(stages)
    spent = sum(end - begin for _, begin, _, end in slices) / 1e9
    assert spent == pytest.approx(sum(stage.seconds for stage in stages), abs=1e-3)


def test_counters_end_at_the_totals():
    built = samples.digits()
    totals = built.report.totals
    points = read(built).points
    assert points["traces"][0] == (0, 0)
    assert points["traces"][-1][1] == totals.traces
    assert points["compiles"][-1][1] == totals.compiles
    lost = points["seconds lost to tracing and compiling"]
    assert lost[-1][1] == pytest.approx(totals.trace_s + totals.lower_s + totals.compile_s)
    width = totals.seconds / 240
    calls = sum(row.count for rows in built.rows.values() for row in rows)
    assert sum(value * width for _, value in points["calls per second"]) == pytest.approx(calls)


def test_processes_stand_beside_each_other_at_their_moments():
    first, second = samples.calm(), samples.calm()
    started = [
        each._replace(report=msgspec.structs.replace(each.report, environment=environment(pid=pid, started=moment)))
        for each, pid, moment in ((first, 7, 100.0), (second, 8, 102.5))
    ]
    made = read(*started)
    assert sorted(track.process.pid for track in made.tracks.values() if track.HasField("process")) == [7, 8]
    assert sorted(track.thread.pid for track in made.tracks.values() if track.HasField("thread")) == [7, 8]
    begins = sorted(each[1] for each in made.named("trace step"))
    assert begins[1] - begins[0] == 2_500_000_000


def test_work_that_overlaps_gets_tracks_of_its_own():
    built = samples.churn(3)
    (function,) = built.report.functions
    replace = msgspec.structs.replace
    moved = tuple(
        replace(
            each, specialization=replace(each.specialization, stages=(Stage("compile", float(at), 1.5, thread=2**40),))
        )
        for at, each in enumerate(function.specializations)
    )
    report = replace(built.report, functions=(replace(function, specializations=moved),))
    made = Read(perfetto.render([Process(report)]))
    assert sorted(len(spans) for spans in made.slices.values()) == [1, 2]
    assert [track.name for track in made.tracks.values() if "overlapping" in track.name] == ["thread 1, overlapping 1"]


@pytest.mark.parametrize("built", [samples.hostile, samples.nothing, samples.failed, samples.flips, samples.stale])
def test_any_report_can_be_written(built):
    read(built())


def test_a_missing_package_is_a_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "perfetto.trace_builder.proto_builder", None)
    with pytest.raises(WhyjitError, match=r"pip install 'whyjit\[perfetto\]'"):
        importlib.import_module("whyjit.present.perfetto").require()
