"""One process's recording: the observer, the file, and what a fork does to both."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from whyjit.analyse.failure.judge import judge
from whyjit.model.bounds import Bounds
from whyjit.observe.keeping import Keeper
from whyjit.observe.observer import Observer
from whyjit.store import kept
from whyjit.store.errors import StoreError
from whyjit.store.writer import Writer

if TYPE_CHECKING:
    from whyjit.model.batch import Batch

# The observer imports it when it is first used: too late, see `isolation`.
import_module("importlib.metadata")


def _say(line: str) -> None:
    """A line on standard error, if there is one."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


class Session:
    """Records this process into a file of its own in the run's folder, and each forked child into another.

    `parent` is the process that started this one, 0 for the one started by hand.
    """

    def __init__(self, folder: str, parent: int) -> None:
        self.fault = ""
        self._folder = Path(folder)
        self._parent = parent
        self._observer: Observer | None = None
        self._writer: Writer | None = None
        self._prepared = False
        self._keeper: Keeper | None = None
        self._rows = Bounds().rows

    def start(self, *, calls: bool, redact: bool, quiet: bool, keep: int = 0, bounds: str = "") -> None:
        """Observe from now on. Unless `quiet`, a function compiled again and again is named while it happens.

        With `keep`, arguments are kept: at most so many megabytes of them. `bounds` is how much else is kept
        one by one: the numbers of `Bounds`.
        """
        limits = Bounds(*map(int, bounds.split()))
        self._rows = limits.rows
        self._keeper = Keeper(keep * 10**6) if keep else None
        say = None if quiet else _say
        self._observer = Observer(
            self._take, calls=calls, redact=redact, judge=judge, say=say, keeper=self._keeper, bounds=limits
        )
        self._observer.start()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._prepare_for_multiprocessing, after_in_child=self._after_fork_in_child)
        self._prepare_for_multiprocessing()

    def flush(self) -> None:
        """Write what has happened until now."""
        if self._observer is not None:
            self._observer.flush()

    def end(self, uncaught: BaseException | None = None) -> None:
        """Write what is still to be written, and with it the explanation of the exception that ended the program."""
        observer, self._observer = self._observer, None
        if observer is None:
            return
        failure = None
        if uncaught is not None:
            with self._noting("the error could not be explained"):
                failure = observer.explain_uncaught(uncaught)
        with self._noting("the last batch is missing"):
            observer.stop()
        if self._writer is not None:
            if failure is not None:
                with self._noting("the error could not be stored"):
                    self._writer.mark_uncaught(failure)
            self._writer.close()

    @contextlib.contextmanager
    def _noting(self, what: str) -> Generator[None]:
        """A fault of whyjit's own ends one step, not the others."""
        try:
            yield
        except Exception as fault:  # noqa: BLE001
            self.fault = self.fault or f"{what}: {type(fault).__name__}: {fault}"

    def _take(self, batch: Batch) -> None:
        if self.fault:
            return
        try:
            if self._writer is None:
                self._writer = Writer.create(self._folder, batch.environment, parent=self._parent, rows=self._rows)
            self._writer.write(batch)
            self._write_arguments(self._writer.path)
        except StoreError as fault:
            self.fault = fault.message

    def _write_arguments(self, recording: Path) -> None:
        """Write what was kept of arguments. Where the disk refuses them, the recording goes on without."""
        if self._keeper is None:
            return
        try:
            for one in self._keeper.drain():
                kept.write(recording, one.function, one.number, one.call)
        except OSError as fault:
            self._keeper = None
            _say(f"whyjit: arguments are no longer kept: {fault.strerror or fault}")

    def _after_fork_in_child(self) -> None:
        """The child records anew: what the parent has seen stays with the parent."""
        self._writer, self.fault, self._parent = None, "", os.getppid()
        if self._keeper is not None:
            self._keeper.begin_anew()
        if self._observer is not None:
            self._observer.after_fork(self._take)

    def _prepare_for_multiprocessing(self) -> None:
        """See to it that this process and those forked from it are finished if `multiprocessing` runs them.

        Such a process may end without its `atexit` handlers, but not without its finalizers. It forgets those that it
        has when it starts, and then calls what is registered to be called after a fork.
        """
        util, process = (sys.modules.get(f"multiprocessing.{name}") for name in ("util", "process"))
        if util is None or process is None or self._prepared:
            return
        self._prepared = True

        def finish(session: Session) -> None:
            util.Finalize(None, session.end, exitpriority=-1000)

        util.register_after_fork(self, finish)
        if process.parent_process() is not None:
            finish(self)
