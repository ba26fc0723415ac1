"""`whyjit.advise()`, and what `whyjit advise` runs: changes that would spare traces, with the evidence for each."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whyjit.errors import WhyjitError
from whyjit.notebook.display import Display

if TYPE_CHECKING:
    from whyjit.model.advice import Advice
    from whyjit.model.batch import Batch
    from whyjit.model.finding import Report
    from whyjit.notebook.formats import Shown
    from whyjit.observe.keeping import Keeper
    from whyjit.rewrite.advisers import Advised, Limits
    from whyjit.store.writer import Writer

_KEEP = 1 << 30


def on_run(file: Path, report: Report, *, only: str = "", limits: Limits | None = None) -> Advised:
    """The advice on a recorded run. `only` names a function to look at alone; patches start at the working folder."""
    from whyjit.rewrite.advisers import Context, Limits, advise

    return advise(Context(report, file, Path.cwd(), limits or Limits(), only))


def advise(
    fn: Callable[..., Any],
    calls: Iterable[tuple[Sequence[Any], Mapping[str, Any]]],
    *,
    limits: Limits | None = None,
) -> tuple[Advice, ...]:
    """Changes of jitted functions that would spare traces in these calls, largest saving first.

        for item in whyjit.advise(step, calls=[((w, x), {"rate": rate}) for rate in (0.1, 0.05, 0.025)]):
            print(item.kind, item.path, item.evidence, item.why)

    The calls are made here, in order, and recorded with their arguments; a call that ends in an error is part of the
    evidence. What is then proposed is tried in a process of its own, which loads the functions from their source files.

    Arguments:
      fn: a jitted function, or one that calls jitted functions. What JAX has cached for it is dropped first.
      calls: positional and keyword arguments of each call.
      limits: what the processes that try things may use.

    Raises:
      WhyjitError: this JAX cannot be observed.
      Exception: every call failed, and not in the tracing of a jitted function: the first call's exception.
    """
    from whyjit.analyse.explain import explain
    from whyjit.jaxlink import environment
    from whyjit.jaxlink.missing import Missing
    from whyjit.store import reader

    supported = environment.supported()
    if isinstance(supported, Missing):
        raise WhyjitError(f"{supported.reason}; whyjit needs JAX 0.6 or newer: pip install --upgrade 'jax>=0.6'")
    with tempfile.TemporaryDirectory(prefix="whyjit-") as name:
        with contextlib.suppress(AttributeError):
            fn.clear_cache()  # type: ignore[attr-defined]
        raised = record(Path(name), fn, calls)
        file = reader.main_file(Path(name))
        report = explain(reader.load(file))
        if raised is not None and not report.failures and not any(one.calls for one in report.functions):
            raise raised
        return Advices(on_run(file, report, limits=limits).items)


class Advices(Display, tuple["Advice", ...]):
    """Pieces of advice: a tuple that prints as `whyjit advise` prints it, and is HTML in a notebook."""

    __slots__ = ()

    def _shown(self) -> Shown:
        from whyjit.notebook.cells import named
        from whyjit.notebook.formats import Shown
        from whyjit.present import compose

        return Shown(compose.advice(named(tuple(self))))


def record(
    folder: Path, fn: Callable[..., Any], calls: Iterable[tuple[Sequence[Any], Mapping[str, Any]]]
) -> Exception | None:
    """Make the calls, recorded into a folder with their arguments; the first exception that one of them raised."""
    from whyjit.analyse.failure.judge import judge
    from whyjit.observe.keeping import Keeper
    from whyjit.observe.observer import Observer

    keeper = Keeper(_KEEP)
    store = _Store(folder, keeper)
    observer = Observer(store.take, judge=judge, keeper=keeper)
    first: Exception | None = None
    observer.start()
    try:
        for args, kwargs in calls:
            try:
                fn(*args, **kwargs)
            except Exception as raised:  # noqa: BLE001 - whatever the user's function raises
                first = first or raised
    finally:
        observer.stop()
        store.close()
    return first


class _Store:
    """Takes batches into a file, and kept arguments beside it."""

    def __init__(self, folder: Path, keeper: Keeper) -> None:
        self._folder = folder
        self._keeper = keeper
        self._writer: Writer | None = None

    def take(self, batch: Batch) -> None:
        """Write a batch of the observer's."""
        from whyjit.store import kept
        from whyjit.store.writer import Writer

        if self._writer is None:
            self._writer = Writer.create(self._folder, batch.environment)
        self._writer.write(batch)
        for one in self._keeper.drain():
            kept.write(self._writer.path, one.function, one.number, one.call)

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()
