"""Recording from within a program: `whyjit.record()` and `whyjit.load()`."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from whyjit.errors import WhyjitError, refuse_decorating
from whyjit.notebook.display import Display

if TYPE_CHECKING:
    from whyjit.analyse.processes import Together
    from whyjit.model.batch import Batch
    from whyjit.model.finding import Report
    from whyjit.model.recording import Recording
    from whyjit.notebook.formats import Shown
    from whyjit.observe.observer import Observer
    from whyjit.store.writer import Writer

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Recorded(Display):
    """A recording: what `whyjit.record()` yields, then as it is so far, and what `whyjit.load()` returns.

    `path` is the run's folder or file, if it is stored.
    """

    def __init__(self, take: Callable[[], Recording], path: Path | None) -> None:
        self._take = take
        self.path = path

    def recording(self) -> Recording:
        """The functions, specializations, counts and times, as plain data."""
        return self._take()

    def explained(self) -> Report:
        """The recording with the cause of each specialization, and findings."""
        from whyjit.analyse.explain import explain

        return explain(self.recording())

    def report(self) -> dict[str, Any]:
        """What `whyjit report --format json` prints, as a dict."""
        from whyjit.present.json import report_dict

        return report_dict(self.explained(), self._together())

    def _shown(self) -> Shown:
        """What a notebook shows: the summary, and everything below it."""
        from whyjit.notebook import formats

        where = "" if self.path is None else str(self.path)
        return formats.report(self.explained(), where=where, together=self._together())

    def _together(self) -> Together | None:
        """All processes of the run, where several were recorded into its folder."""
        from whyjit.whole_runs import beside

        return None if self.path is None else beside(self.path)


class Recorder:
    """A recording that is to be made: a context manager, and a decorator that records each call of a function."""

    def __init__(self, out: str | Path | None, *, calls: bool) -> None:
        self._out = None if out is None else Path(out)
        self._calls = calls
        self._observer: Observer | None = None
        self._store: _Store | None = None

    def __enter__(self) -> Recorded:
        if self._observer is not None:
            raise WhyjitError("this record() is recording already; make another one: with whyjit.record() as inner")
        from whyjit import settings
        from whyjit.analyse.failure.judge import judge
        from whyjit.jaxlink import environment
        from whyjit.jaxlink.missing import Missing
        from whyjit.observe.observer import Observer

        supported = environment.supported()
        if isinstance(supported, Missing):
            raise WhyjitError(f"{supported.reason}; whyjit needs JAX 0.6 or newer: pip install --upgrade 'jax>=0.6'")
        chosen = settings.load()
        self._store = None if self._out is None else _Store(self._out, chosen.max_rows)
        sink = None if self._store is None else self._store.take
        self._observer = Observer(sink, calls=self._calls, redact=chosen.redact, judge=judge, bounds=chosen.bounds)
        self._observer.start()
        return Recorded(self._observer.snapshot, None if self._store is None else self._store.run)

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        observer, store = self._observer, self._store
        self._observer = self._store = None
        if observer is not None:
            observer.stop()
        if store is not None:
            store.close()

    def __call__(self, function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        """The function, each call of which is recorded. Its attribute `recorded` holds the newest call's `Recorded`."""
        refuse_decorating(function, "record")
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Any:
                with self._another() as awaited.recorded:  # type: ignore[attr-defined]
                    return await function(*args, **kwargs)

            return awaited  # type: ignore[return-value]

        @functools.wraps(function)
        def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            with self._another() as called.recorded:  # type: ignore[attr-defined]
                return function(*args, **kwargs)

        return called

    def _another(self) -> Recorder:
        return Recorder(self._out, calls=self._calls)


class _Store:
    """Where a recording with `out` goes."""

    def __init__(self, out: Path, rows: int) -> None:
        from whyjit.store.runs import create_run

        self._rows = rows
        started = sys.argv[0] if sys.argv and isinstance(sys.argv[0], str) else ""
        self.run = create_run(out, Path(started).stem)
        self._writer: Writer | None = None

    def take(self, batch: Batch) -> None:
        """Write a batch of the observer's."""
        if self._writer is None:
            from whyjit.store.writer import Writer

            self._writer = Writer.create(self.run, batch.environment, rows=self._rows)
        self._writer.write(batch)

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            from whyjit.store import sources

            self._writer.close()
            sources.note(self._writer.path)


@overload
def record(out: Callable[Parameters, Result]) -> Callable[Parameters, Result]: ...
@overload
def record(out: str | Path | None = None, calls: bool = True) -> Recorder: ...
def record(out: Any = None, calls: bool = True) -> Any:
    """Record what JAX does in a `with` block, or in each call of a function.

        with whyjit.record() as recorded:
            train()
        print(recorded.report()["totals"])

        @whyjit.record(out="runs")
        def train(): ...

    Every thread of the process is seen. Recordings may be nested and may overlap: each holds what happened from its own
    beginning to its end, and what one sees does not depend on the others.

    Arguments:
      out: a folder of runs; the recording is stored in a new run in it, for the `whyjit` command to read.
      calls: whether calls on JAX's fast path are recorded, too.

    The block is given a `Recorded`; a decorated function's attribute `recorded` is that of its newest call.

    Raises:
      WhyjitError: on entering, where this JAX cannot be recorded or `out` cannot be written.
    """
    if callable(out):
        return Recorder(None, calls=calls)(out)
    return Recorder(out, calls=calls)


def load(path: str | Path) -> Recorded:
    """The recording in a run's folder, in the newest run of a folder of runs, or in a file. Its rows are left out.

    Raises:
      WhyjitError: there is no readable recording at `path`; the message says why.
    """
    from whyjit.store import reader

    recording = reader.load(Path(path))
    return Recorded(lambda: recording, Path(path))
