"""Spans and metrics, as the SDK's own in-memory exporters receive them."""

import os
import subprocess
import sys
import threading
import time

import jax
import numpy as np
import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from whyjit.export import opentelemetry
from whyjit.observe import observer

pytestmark = pytest.mark.live


class Exported:
    """Providers with what reached them."""

    def __init__(self):
        self._spans = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self._reader = InMemoryMetricReader()
        self.meters = MeterProvider([self._reader])

    def instrument(self, **more):
        return opentelemetry.instrument(tracer_provider=self.tracers, meter_provider=self.meters, **more)

    def spans(self, name=""):
        return [span for span in self._spans.get_finished_spans() if name in span.name]

    def points(self, metric):
        data = self._reader.get_metrics_data()
        return {
            tuple(sorted(point.attributes.items())): getattr(point, "value", None) or point.count
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for found in scope.metrics
            if found.name == metric
            for point in found.data.data_points
        }

    def counted(self, metric, function):
        points = self.points(metric)
        return {
            dict(key)["whyjit.cause"]: value
            for key, value in points.items()
            if dict(key)["whyjit.function"] == function
        }


@pytest.fixture
def exported():
    return Exported()


def make(name="step"):
    """A jitted function of its own code."""
    names = {}
    exec(compile(f"def {name}(x):\n    return x * 2\n", __file__, "exec"), names)  # noqa: S102 - its own code, as said
    return jax.jit(names[name])


def ones(size):
    return np.ones(size, np.float32)


def test_each_piece_of_work_is_a_span_of_its_own_time_with_its_cause(exported):
    step = make()
    before = time.time_ns()
    with exported.instrument():
        step(ones(3))
        step(ones(4))
        step(ones(4))
    after = time.time_ns()
    for work in ("trace", "lower", "compile"):
        first, second = (span for span in exported.spans(f"jax.{work}") if span.attributes["whyjit.function"] == "step")
        assert before <= first.start_time <= first.end_time <= second.start_time <= second.end_time <= after
        assert first.attributes["whyjit.cause"] == "first"
        assert second.attributes["whyjit.cause"] == "shape"
        assert second.attributes["whyjit.cause.text"] == "`x` changed from f32[3] to f32[4]"
        assert second.attributes["whyjit.specialization"] == 2
        assert second.attributes["whyjit.program_delta"] == "shapes"
        assert second.attributes["whyjit.call_site"].rpartition(":")[0].endswith("test_export_opentelemetry.py")


def test_a_span_is_a_child_of_the_request_that_waited_for_it(exported):
    step = make()
    tracer = exported.tracers.get_tracer("server")

    def serve(size):
        with tracer.start_as_current_span(f"request {size}"):
            step(ones(size))

    with exported.instrument():
        threads = [threading.Thread(target=serve, args=(size,)) for size in (3, 4, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        step(ones(6))
    requests = {span.context.span_id: span.name for span in exported.spans("request")}
    compiles = [span for span in exported.spans("jax.compile") if span.attributes["whyjit.function"] == "step"]
    parents = sorted(requests[span.parent.span_id] for span in compiles if span.parent is not None)
    assert parents == ["request 3", "request 4", "request 5"]
    assert len(compiles) == 4


def test_traces_compiles_and_needless_retraces_are_counted_by_function_and_cause(exported):
    step = make()
    with exported.instrument():
        for size in (3, 4, 5, 3):
            step(ones(size))
        for _ in range(3):
            jax.jit(lambda x: x + 1)(ones(3))
    assert exported.counted("whyjit.traces", "step") == {"first": 1, "shape": 2}
    assert exported.counted("whyjit.compiles", "step") == {"first": 1, "shape": 2}
    again = "test_traces_compiles_and_needless_retraces_are_counted_by_function_and_cause.<locals>.<lambda>"
    assert exported.counted("whyjit.traces", again) == {"first": 1, "function": 2}
    assert exported.counted("whyjit.needless_retraces", again) == {"function": 2}
    assert exported.counted("whyjit.needless_retraces", "step") == {}
    durations = exported.points("whyjit.work.duration")
    assert durations[("whyjit.function", "step"), ("whyjit.work", "compile")] == 3


def test_functions_beyond_the_limit_share_a_name(exported):
    with exported.instrument(functions=2):
        for number in range(5):
            make(f"step{number}")(ones(3))
    names = {dict(key)["whyjit.function"] for key in exported.points("whyjit.compiles")}
    assert len(names) <= 3
    assert "(other)" in names
    assert sum(exported.points("whyjit.compiles").values()) == 5
    assert {span.attributes["whyjit.function"] for span in exported.spans("jax.compile")} == {
        f"step{n}" for n in range(5)
    }


def test_a_trace_that_fails_is_an_error(exported):
    def bad(x):
        return x if x > 0 else -x

    tracer = exported.tracers.get_tracer("server")
    failing = pytest.raises(jax.errors.TracerBoolConversionError)
    with exported.instrument(), failing, tracer.start_as_current_span("request"):
        jax.jit(bad)(1.0)
    (span,) = (span for span in exported.spans("jax.trace") if span.attributes["whyjit.function"].endswith("bad"))
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "TracerBoolConversionError"
    (request,) = exported.spans("request")
    assert span.parent.span_id == request.context.span_id


def test_it_goes_out_while_the_program_runs_and_nothing_after_the_stop(exported):
    step = make()
    running = exported.instrument()
    step(ones(3))
    deadline = time.monotonic() + 120
    while not exported.spans("jax.compile") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert exported.spans("jax.compile")
    running.stop()
    running.stop()
    count = len(exported.spans())
    step(ones(4))
    assert len(exported.spans()) == count


def test_calls_on_the_fast_path_have_no_hook(exported):
    with exported.instrument():
        assert observer._probes._hits is None


FORKED = """
import os, sys
import jax, numpy as np
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from whyjit.export import opentelemetry

main = os.getpid()

class Printed(SpanExporter):
    def export(self, spans):
        for span in spans:
            if span.attributes["whyjit.function"] == "step":
                print("parent" if os.getpid() == main else "child", span.name, flush=True)
        return SpanExportResult.SUCCESS

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(Printed()))
opentelemetry.instrument(tracer_provider=provider)

def step(x):
    return jax.lax.neg(x)

step = jax.jit(step)
step.trace(np.ones(2))
if os.fork() == 0:
    step.trace(np.ones(3))
    sys.exit(0)
os.wait()
step.trace(np.ones(4))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_child_exports_nothing():
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["parent jax.trace"] * 2), done.stderr
