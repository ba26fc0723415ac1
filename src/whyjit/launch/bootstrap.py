"""What a recorded process does before its program: wait for JAX, and be there at the end.

Imports only what Python has loaded by then: a program may hold a `json.py` of its own, and must get it.
"""

from __future__ import annotations

import atexit
import os
import sys
import time

from whyjit.launch import awaiting, ending, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whyjit.launch.session import Session


class _Process:
    """The recorded process: its plan, and its session once it has imported JAX."""

    def __init__(self, plan: variables.Plan) -> None:
        self._plan = plan
        self._main = os.getpid() == plan.main
        self._beginning = ending.Beginning(time.time())
        self._session: Session | None = None
        self._absence = ""

    def jax_arrived(self) -> None:
        try:
            from whyjit.launch.isolation import own_imports

            with own_imports(self._beginning.path):
                from whyjit.launch.session import Session

            self._session = Session(self._plan.folder, 0 if self._main else os.getppid())
            # What a child writes to standard error may be read by the program: whyjit adds nothing to it.
            quiet = self._plan.quiet or not self._main
            plan = self._plan
            self._session.start(calls=plan.calls, redact=plan.redact, quiet=quiet, keep=plan.keep, bounds=plan.bounds)
        except Exception as fault:  # noqa: BLE001 - the program runs on, unrecorded
            self._session, self._absence = None, f"whyjit could not observe it ({type(fault).__name__}: {fault})"
            if self._main:
                ending.say(f"this program is not recorded: {type(fault).__name__}: {fault}")

    def end(self) -> None:
        """Runs after everything that the program registered with `atexit`, for it was registered before."""
        try:
            absence = self._absence or _absence()
            ending.end(self._plan, self._session, self._beginning, absence)
        except KeyboardInterrupt:
            return
        except Exception as fault:  # noqa: BLE001 - the program has its exit status already
            if self._main:
                ending.say(f"the recording could not be finished: {type(fault).__name__}: {fault}")


def _absence() -> str:
    if "jax" in sys.modules:
        return "whyjit was not told of its import: another import hook came first"
    return "the program never imported it"


def begin() -> None:
    """Called before the program, in each of its processes."""
    plan = variables.read(os.environ)
    if plan is None or not variables.is_recorded(os.environ):
        return
    process = _Process(plan)
    atexit.register(process.end)
    awaiting.call_after_import("jax", process.jax_arrived)
