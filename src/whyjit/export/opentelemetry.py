"""Spans and metrics for OpenTelemetry: an alert on recompiles while a program serves.

    from whyjit.export import opentelemetry

    opentelemetry.instrument()

Spans `jax.trace`, `jax.lower`, `jax.compile` and `jax.cache_load` are children of the span that was current in the
thread that did the work, so a slow request shows the compile it waited for. The counters `whyjit.traces`,
`whyjit.compiles`, `whyjit.cache_loads` and `whyjit.needless_retraces`, and the histogram `whyjit.work.duration`, are
told by function and cause.
"""

from __future__ import annotations

import atexit
import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from whyjit.export.telemetry import Telemetry
    from whyjit.observe.observer import Observer

_CONTEXTS = 10_000


class Instrumentation:
    """Exports from its making to `stop()`; also a context manager."""

    def __init__(self, telemetry: Telemetry) -> None:
        from opentelemetry import context

        from whyjit import settings
        from whyjit.analyse.failure.judge import judge
        from whyjit.jaxlink import environment
        from whyjit.jaxlink.missing import Missing
        from whyjit.observe.observer import Observer

        found = environment.supported()
        if isinstance(found, Missing):
            raise WhyjitError(f"{found.reason}; whyjit needs JAX 0.6 or newer: pip install --upgrade 'jax>=0.6'")
        self._process = os.getpid()
        self._current = context.get_current
        self._contexts: dict[tuple[int, int], list[Context]] = telemetry.contexts
        self._observer: Observer | None = Observer(
            telemetry.take, calls=False, redact=settings.load().redact, judge=judge, listen=self._note
        )
        self._observer.start()
        # Registered after the providers' own, and so called before them: what is left goes out while they still work.
        atexit.register(self.stop)

    def _note(self, function: int, number: int) -> None:
        """In the thread that has just traced or compiled: remember under which span."""
        if os.getpid() == self._process and len(self._contexts) < _CONTEXTS:
            self._contexts.setdefault((function, number), []).append(self._current())

    def stop(self) -> None:
        """Export what is left, and end. May be called twice."""
        if os.getpid() != self._process:  # what a forked child has of it is its parent's to export
            return
        observer, self._observer = self._observer, None
        if observer is not None:
            atexit.unregister(self.stop)
            observer.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def instrument(
    *,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    functions: int = 100,
) -> Instrumentation:
    """Export spans and metrics of every trace, lowering and compile from now on, in all threads of this process.

    Nothing is added to calls on JAX's fast path. What happened is exported about twice a second from a thread of
    whyjit's. A forked child exports nothing until it calls this itself.

    Arguments:
      tracer_provider: where spans go; left out, OpenTelemetry's global one.
      meter_provider: where metrics go; left out, OpenTelemetry's global one.
      functions: how many functions keep their own name in metrics; those met after them are counted as "(other)", so
        that the number of time series stays bounded.

    Raises:
      WhyjitError: OpenTelemetry is not installed, or this JAX cannot be recorded.
    """
    try:
        from opentelemetry import metrics, trace
    except ImportError as fault:
        install = "pip install 'whyjit[opentelemetry]'"
        raise WhyjitError(f"OpenTelemetry is missing ({fault}); install it: {install}") from None
    from whyjit.export.telemetry import Telemetry

    version: Any = _version()
    tracer = trace.get_tracer("whyjit", version, tracer_provider=tracer_provider)
    meter = metrics.get_meter("whyjit", version, meter_provider=meter_provider)
    return Instrumentation(Telemetry(tracer, meter, functions))


def _version() -> str:
    import whyjit

    return str(whyjit.__version__)
