"""The observer: owns the probes, finishes what they took down, and hands it on in batches.

There is one set of probes in a process, however many observers there are: each observer is a window on the one ledger,
from its start to its stop. What was in the ledger when a window opened existed before it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from whyjit.model.batch import Batch
from whyjit.model.bounds import USUAL, Bounds
from whyjit.model.recording import Environment, Gap, Recording
from whyjit.observe.live import LiveWord
from whyjit.observe.probes import Probes

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.failure import Failure
    from whyjit.observe.given import Eyes
    from whyjit.observe.keeping import Keeper
    from whyjit.observe.ledger import SpecState
    from whyjit.observe.probes import Judge
    from whyjit.observe.window import Window

_PERIOD = 0.4
_PATIENCE = 0.2
_SOON = 0.01
shared = threading.RLock()
_probes: Probes | None = None


def acquire(judge: Judge | None, *, calls: bool, redact: bool, bounds: Bounds = USUAL) -> Probes:
    """The process's probes, installed if nobody else needs them yet."""
    global _probes  # noqa: PLW0603 - one set of probes in a process, as JAX has one door
    with shared:
        if _probes is None:
            probes = Probes(judge, redact=redact, bounds=bounds)
            try:
                probes.install()
            except BaseException:
                probes.remove()
                raise
            _probes = probes
        _probes.hold(calls=calls)
        return _probes


def eyes() -> Eyes | None:
    """How arguments are looked at while something is being recorded; None if nothing is."""
    return None if _probes is None else _probes.eyes


def release(probes: Probes, *, calls: bool) -> None:
    """The probes are needed once less; they go when nobody needs them."""
    global _probes  # noqa: PLW0603 - see above
    with shared:
        if probes.let_go(calls=calls):
            probes.remove()
            if _probes is probes:
                _probes = None


def _after_fork_in_child() -> None:
    """Whatever another thread held when the process forked, nobody will let go in the child."""
    global shared  # noqa: PLW0603 - see above
    shared = threading.RLock()
    if _probes is not None:
        _probes.stand_alone()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class Observer:
    """Records from `start()` to `stop()`.

    Arguments:
      sink: receives a `Batch` about twice a second, from a thread of the observer's, and a final one at the stop.
      calls: whether calls on the fast path are recorded, too. Without them only misses are seen.
      redact: whether static values are hidden.
      judge: makes a `Failure` of what is seen of a tracer error; without it errors are not explained.
      say: is told in a line, once for a function, when it is compiled again and again to the same program.
      listen: is told the function's id and the specialization's number after each trace, lowering and compile, in the
        thread that did the work, before the batch that holds it.
      bounds: how much is kept one by one, unless another observer has begun before.
      keeper: copies the arguments of the first call of each specialization.
    """

    def __init__(
        self,
        sink: Callable[[Batch], None] | None,
        *,
        calls: bool = True,
        redact: bool = False,
        judge: Judge | None = None,
        say: Callable[[str], None] | None = None,
        listen: Callable[[int, int], None] | None = None,
        bounds: Bounds = USUAL,
        keeper: Keeper | None = None,
    ) -> None:
        self._sink = sink
        self._judge = judge
        self._say = say
        self._listen = listen
        self._keeper = keeper
        self._calls = calls
        self._redact = redact
        self._bounds = bounds
        self._probes: Probes | None = None
        self._window: Window | None = None
        self._stopped: Recording | None = None
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._writing = threading.Lock()
        self._started = 0.0
        self._platform = ""

    def start(self) -> None:
        """Install the probes, unless another observer has, and begin."""
        self._probes = acquire(self._judge, calls=self._calls, redact=self._redact, bounds=self._bounds)
        self._window = self._open(self._probes, whole=self._sink is None)
        if self._say is not None:
            self._probes.live = LiveWord(self._say)
        if self._keeper is not None:
            self._keeper.note = self._window.gaps.append
            self._probes.calls.keep = self._keeper.take
        if self._listen is not None:
            self._probes.calls.listeners = (*self._probes.calls.listeners, self._heard)
        self._started = time.time()
        atexit.register(self._note_platform)  # JAX, imported before, clears its backends at exit after this has run
        if self._sink is not None:
            self._thread = threading.Thread(target=self._run, name="whyjit", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Finish, hand on the final batch, and take the probes away if nobody else needs them. May be called twice."""
        if self._probes is None or self._window is None:
            return
        atexit.unregister(self._note_platform)
        if self._say is not None:
            self._probes.live = None  # what is found from here on is the summary's to say
        if self._keeper is not None:
            self._probes.calls.keep = None
        calls = self._probes.calls
        calls.listeners = tuple(listener for listener in calls.listeners if listener != self._heard)
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)
        self._probes.finish()
        if self._sink is not None:
            self._flush(final=True)
        self._stopped = self._snapshot()
        self._probes.close_window(self._window)
        release(self._probes, calls=self._calls)
        self._probes = self._window = None

    def _heard(self, spec: SpecState) -> None:
        if self._listen is not None:
            self._listen(spec.function.id, spec.number)

    def _open(self, probes: Probes, *, whole: bool) -> Window:
        window = probes.open_window(whole=whole)
        if not self._calls:
            window.gaps.append(Gap("hits", "not recorded, as asked: counts of calls are those that left the fast path"))
        return window

    def snapshot(self) -> Recording:
        """The recording as it is now; after the stop, as it was then."""
        if self._stopped is not None:
            return self._stopped
        return self._snapshot()

    def flush(self) -> None:
        """Hand on what has happened until now, without waiting for the next batch."""
        if self._probes is not None:
            self._probes.finish()
            self._flush(final=False)

    def explain_uncaught(self, raised: BaseException) -> Failure | None:
        """The explanation of an exception that ended the program, if it is one that JAX's tracing brought about."""
        return None if self._probes is None else self._probes.explain_uncaught(raised)

    def after_fork(self, sink: Callable[[Batch], None] | None) -> None:
        """Go on in a forked child: its own window from here, its own thread, its own sink."""
        self._sink = sink
        self._writing = threading.Lock()
        self._wake = threading.Event()
        if self._probes is None:
            return
        self._probes.after_fork()
        self._probes.live = None  # the word was for the program that somebody started, not for its children
        self._window = self._open(self._probes, whole=sink is None)
        if self._keeper is not None:
            self._keeper.note = self._window.gaps.append
        self._started = time.time()
        if sink is not None:
            self._thread = threading.Thread(target=self._run, name="whyjit", daemon=True)
            self._thread.start()

    # The thread.

    def _run(self) -> None:
        due = time.monotonic() + _PERIOD
        pause = _PERIOD
        while not self._wake.wait(pause):
            if self._probes is None:
                return
            with contextlib.suppress(Exception):
                self._probes.sampler.look()
                pause = self._probes.sampler.pause
            now = time.monotonic()
            if now < due:
                continue
            if self._probes.calls.lowering and now < due + _PATIENCE:
                pause = _SOON  # JAX is at work in Python: what is done now would keep it waiting for the GIL
                continue
            with contextlib.suppress(Exception):
                self._probes.finish()
            self._flush(final=False)
            due = time.monotonic() + _PERIOD

    def _flush(self, *, final: bool) -> None:
        window, sink = self._window, self._sink
        if window is None or sink is None:
            return
        with self._writing:
            try:
                sink(window.batch(self.environment(), final=final))
            except Exception as fault:
                window.gaps.append(Gap("store", f"{type(fault).__name__}: {fault}"))

    def _snapshot(self) -> Recording:
        if self._window is None:
            return Recording(self.environment(), (), (), ())
        if self._probes is not None:
            self._probes.finish()
        return self._window.recording(self.environment())

    def environment(self) -> Environment:
        """The process that is recorded."""
        from whyjit.jaxlink import environment

        jax, jaxlib = self._versions
        return Environment(
            python=".".join(map(str, sys.version_info[:3])),
            jax=jax,
            jaxlib=jaxlib,
            platform=self._note_platform(),
            process_index=environment.process_index(),
            argv=_arguments(),
            directory=_directory(),
            pid=os.getpid(),
            started=self._started,
        )

    @functools.cached_property
    def _versions(self) -> tuple[str, str]:
        from whyjit.jaxlink import environment

        version = environment.jax_version()  # read from the package's metadata, which takes a millisecond
        return version if isinstance(version, str) else "", environment.jaxlib_version()

    def _note_platform(self) -> str:
        """The backend in use, or the one that was when last looked."""
        from whyjit.jaxlink import environment

        self._platform = environment.platform() or self._platform
        return self._platform


def _arguments() -> tuple[str, ...]:
    """The program's arguments, so far as it has left them what arguments are."""
    given = getattr(sys, "argv", None)
    return tuple(one for one in given if isinstance(one, str)) if isinstance(given, (list, tuple)) else ()


def _directory() -> str:
    try:
        return os.getcwd()
    except OSError:  # it may have been removed
        return ""


__all__: list[Any] = ["Observer"]
