"""Telemetry from batches made by hand: what waits for its program, and what stands for many."""

import pytest

pytest.importorskip("opentelemetry.sdk")

import analyse_builders as make
import store_samples as samples
from msgspec import structs
from opentelemetry.context import Context
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from whyjit.export.telemetry import COMPARED, Telemetry
from whyjit.model.recording import Stage


@pytest.fixture
def told():
    """A telemetry, its spans by name, and its counts by metric and cause."""
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry = Telemetry(tracers.get_tracer("t"), MeterProvider([reader]).get_meter("t"), 10)

    def counts(metric):
        data = reader.get_metrics_data()
        return {
            point.attributes["whyjit.cause"]: point.value
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for found in scope.metrics
            if found.name == metric
            for point in found.data.data_points
        }

    return telemetry, lambda: [span.name for span in exporter.get_finished_spans()], counts


def spec(number, **more):
    return make.spec(number, make.leaf("x", number), started=float(number), **more)


def batch(*specs, **more):
    return samples.batch(functions=(samples.STEP,), specializations=specs, **more)


def test_a_trace_waits_one_batch_for_its_program(told):
    telemetry, spans, counts = told
    telemetry.take(batch(spec(1, fingerprint=None)))
    assert spans() == []
    telemetry.take(batch(spec(1)))
    assert spans() == ["jax.trace", "jax.lower", "jax.compile"]
    telemetry.take(batch(spec(1, calls=9)))
    assert len(spans()) == 3
    telemetry.take(batch(spec(2, fingerprint=None)))
    telemetry.take(batch())
    assert len(spans()) == 6
    telemetry.take(batch(spec(3, fingerprint=None), final=True))
    assert counts("whyjit.traces") == {"first": 1, "shape": 2}


def test_stages_that_come_later_are_told_once(told):
    telemetry, spans, counts = told
    telemetry.take(batch(spec(1, stages=make.stages(compile_=False))))
    telemetry.take(batch(spec(1)))
    assert spans() == ["jax.trace", "jax.lower", "jax.compile"]
    assert counts("whyjit.compiles") == {"first": 1}


def test_contexts_of_stages_after_the_batch_wait_for_them(told):
    telemetry, *_ = told
    telemetry.contexts[1, 1] = [Context({"of": name}) for name in ("trace", "lower", "compile")]
    whole = spec(1)
    made = []
    telemetry._span = lambda stage, _about, _began, parent, **_: made.append((stage.kind, parent and parent["of"]))
    telemetry.take(batch(structs.replace(whole, stages=whole.stages[:1])))
    telemetry.take(batch(whole))
    assert [(kind, parent) for kind, parent in made] == [(kind, kind) for kind in ("trace", "lower", "compile")]
    assert telemetry.contexts == {}


def test_an_entry_that_stands_for_many_is_counted_without_spans(told):
    telemetry, spans, counts = told
    summed = spec(2, notes=("summed",), stages=(Stage("trace", 0.0, 0.1, 0.1, count=5),), fingerprint=None)
    telemetry.take(batch(summed))
    telemetry.take(batch(structs.replace(summed, stages=(Stage("trace", 0.0, 0.1, 0.1, count=12),))))
    assert spans() == []
    assert counts("whyjit.traces") == {"unknown": 12}


def test_a_cached_executable_and_work_of_nobody_are_counted_apart(told):
    telemetry, spans, counts = told
    lost = (Stage("compile", 0.0, 0.1, 0.1),)
    telemetry.take(
        batch(spec(1, stages=(Stage("trace", 0.0, 0.1, 0.1), Stage("cache_load", 0.1, 0.1, 0.1))), unattributed=lost)
    )
    assert spans() == ["jax.trace", "jax.cache_load", "jax.compile"]
    assert counts("whyjit.cache_loads") == {"first": 1}
    assert counts("whyjit.compiles") == {"unknown": 1}


def test_only_so_many_earlier_ones_are_remembered(told):
    telemetry, _, counts = told
    for number in range(1, COMPARED + 50):
        telemetry.take(batch(spec(number)))
    assert len(telemetry._earlier[1]) == COMPARED
    assert counts("whyjit.traces") == {"first": 1, "shape": COMPARED + 48}
