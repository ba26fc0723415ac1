"""The recording of a notebook: on from the loading of the extension, into a run like those of `whyjit run`."""

from __future__ import annotations

import atexit
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.launch.session import Session


class Notebook:
    """One IPython session. `run` is the folder of its newest recording, None before JAX was imported."""

    def __init__(self, ipython: Any) -> None:
        self._ipython = ipython
        self._session: Session | None = None
        self._awaited = False
        self._wanted = False
        self.run: Path | None = None

    def load(self) -> None:
        """Begin, and look at what cells end with from now on."""
        self._ipython.events.register("post_run_cell", self._after_cell)
        atexit.register(self.off)
        self.on()

    def unload(self) -> None:
        """End the recording, and look no more."""
        self._ipython.events.unregister("post_run_cell", self._after_cell)
        atexit.unregister(self.off)
        self.off()

    @property
    def recording(self) -> bool:
        """Whether it is on: JAX is being recorded, or will be once it is imported."""
        return self._wanted

    def on(self) -> None:
        """Record from now on, into a new run; where JAX has not been imported yet, from its import on."""
        if self._wanted:
            return
        self._wanted = True
        if not self._awaited:
            from whyjit.launch.awaiting import call_after_import

            self._awaited = True
            call_after_import("jax", self._jax_is_there)
        elif "jax" in sys.modules:
            self._start()

    def off(self) -> None:
        """Stop; the recording can be read as before."""
        self._wanted = False
        session, self._session = self._session, None
        if session is not None:
            session.end()

    def flushed(self) -> Path:
        """The folder of the recording, with everything in it that has happened until now."""
        if self.run is None:
            why = "JAX has not been imported yet" if self._wanted else "it is off; begin with: %whyjit on"
            raise WhyjitError(f"nothing has been recorded in this notebook: {why}")
        if self._session is not None:
            self._session.flush()
            if self._session.fault:
                raise WhyjitError(f"the recording of this notebook failed: {self._session.fault}")
        return self.run

    def _jax_is_there(self) -> None:
        if self._wanted:
            self._start()

    def _start(self) -> None:
        from whyjit import settings
        from whyjit.launch.session import Session
        from whyjit.store.runs import create_run

        # It may be called within the user's own `import jax`, which no fault of ours may break.
        try:
            chosen = settings.load()
            self.run = create_run(chosen.out.absolute(), "notebook")
            self._session = Session(str(self.run), 0)
            bounds = " ".join(map(str, chosen.bounds))
            self._session.start(calls=chosen.calls, redact=chosen.redact, quiet=True, bounds=bounds)
        except Exception as fault:  # noqa: BLE001 - see above
            self._wanted, self._session = False, None
            reason = fault.message if isinstance(fault, WhyjitError) else f"{type(fault).__name__}: {fault}"
            sys.stderr.write(f"whyjit: {reason}; this notebook is not recorded\n")

    def _after_cell(self, result: Any) -> None:
        """Explain the tracer error that ended a cell, below its traceback."""
        raised = result.error_in_exec
        if raised is None or "jax" not in sys.modules:
            return
        from whyjit.explaining import explain_exception

        try:
            failure = explain_exception(raised)
            if failure is None:
                return
            from IPython.display import display

            from whyjit.notebook import formats

            display(formats.failure(failure))  # type: ignore[no-untyped-call, unused-ignore]
        except Exception as fault:  # noqa: BLE001 - a fault of whyjit's own, below the user's traceback
            sys.stderr.write(f"whyjit: no explanation ({type(fault).__name__}: {fault})\n")
