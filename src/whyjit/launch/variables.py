"""The environment variables by which a run tells its processes how to record.

They are set by `whyjit run` and inherited by whatever the program starts. This module is imported in each of these
processes before the program, so it imports nothing that Python has not loaded by then.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

_FOLDER = "WHYJIT_RUN_FOLDER"
_PREFIX = "WHYJIT_RUN_PREFIX"
_MAIN = "WHYJIT_RUN_MAIN"
_FLAGS = "WHYJIT_RUN_FLAGS"
_KEEP = "WHYJIT_RUN_KEEP"
_BOUNDS = "WHYJIT_RUN_BOUNDS"
_FILES = {"json": "WHYJIT_RUN_JSON", "html": "WHYJIT_RUN_HTML"}


class Plan:
    """How a run is recorded.

    `folder` is the run's folder, `main` the id of the process started by hand. `json` and `html` are files to write a
    report to at its end, "" for none. All paths are absolute. `joined` tells that processes that this one did not start
    record into the folder, too. `keep` is how many megabytes of arguments are kept.
    `bounds` is how much of everything else is kept one by one, as text.
    """

    __slots__ = ("bounds", "calls", "folder", "html", "joined", "json", "keep", "main", "quiet", "redact")

    def __init__(
        self,
        folder: str,
        main: int,
        *,
        calls: bool = True,
        redact: bool = False,
        quiet: bool = False,
        json: str = "",
        html: str = "",
        keep: int = 0,
        bounds: str = "",
        joined: bool = False,
    ) -> None:
        self.folder = folder
        self.main = main
        self.calls = calls
        self.redact = redact
        self.quiet = quiet
        self.json = json
        self.html = html
        self.keep = keep
        self.bounds = bounds
        self.joined = joined


def write(plan: Plan, environment: MutableMapping[str, str]) -> None:
    """Put a plan into an environment."""
    environment[_FOLDER] = plan.folder
    environment[_PREFIX] = sys.prefix
    environment[_MAIN] = str(plan.main)
    environment[_KEEP] = str(plan.keep)
    environment[_BOUNDS] = plan.bounds
    flags = {"calls": plan.calls, "redact": plan.redact, "quiet": plan.quiet, "joined": plan.joined}
    environment[_FLAGS] = " ".join(name for name, on in flags.items() if on)
    for name, variable in _FILES.items():
        environment.pop(variable, None)
        if path := getattr(plan, name):
            environment[variable] = path


def read(environment: Mapping[str, str]) -> Plan | None:
    """The plan in an environment."""
    folder = environment.get(_FOLDER, "")
    main = environment.get(_MAIN, "")
    if not folder or not main.isdecimal():
        return None
    flags = environment.get(_FLAGS, "").split()
    return Plan(
        folder,
        int(main),
        calls="calls" in flags,
        redact="redact" in flags,
        quiet="quiet" in flags,
        joined="joined" in flags,
        json=environment.get(_FILES["json"], ""),
        html=environment.get(_FILES["html"], ""),
        bounds=environment.get(_BOUNDS, ""),
        keep=int(kept) if (kept := environment.get(_KEEP, "")).isdecimal() else 0,
    )


def is_recorded(environment: Mapping[str, str]) -> bool:
    """Whether a process with this environment is to be recorded: it must be one of the Python that whyjit is in."""
    return environment.get(_PREFIX) == sys.prefix


def unrecorded(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process that is not to be recorded."""
    return {name: value for name, value in environment.items() if name != _PREFIX}
