"""Run a program as `python PROGRAM ARGS` would, and write what it did to a file: body runs, and JAX's own events.

    python scripts/counted.py COUNTS.json PROGRAM ARGS

A body run is a call of a Python function whose code stands in the program's file. JAX's events are those that
`jax.monitoring` tells: a trace, a lowering, a compile, a hit or miss of the persistent cache. Nothing of whyjit's is
used, so that a run under whyjit and one without can be compared by it.
"""

from __future__ import annotations

import atexit
import collections
import json
import runpy
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType

EVENTS = ("trace", "mlir", "backend_compile", "cache_hits", "cache_misses")


class Bodies:
    """Counts the calls of the functions of one file. Each is noted by itself: threads would lose some of a sum."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.calls: list[str] = []

    def start(self) -> None:
        """Count from now on, with what costs least on this Python."""
        if sys.version_info < (3, 12):
            threading.setprofile(self._called)
            sys.setprofile(self._called)
            return
        tool = next(number for number in range(6) if sys.monitoring.get_tool(number) is None)
        sys.monitoring.use_tool_id(tool, "counted")
        sys.monitoring.register_callback(tool, sys.monitoring.events.PY_START, self._started)
        sys.monitoring.set_events(tool, sys.monitoring.events.PY_START)

    def _started(self, code: CodeType, _offset: int) -> object:
        if code.co_filename != self.file:
            return sys.monitoring.DISABLE
        self.calls.append(f"{code.co_qualname}:{code.co_firstlineno}")
        return None

    def _called(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename == self.file:
            self.calls.append(f"{frame.f_code.co_qualname}:{frame.f_code.co_firstlineno}")


def main() -> None:
    """Count, and run the program."""
    counts, program = Path(sys.argv[1]).resolve(), sys.argv[2]
    import jax.monitoring

    events: list[str] = []

    def told(name: str, *_: object, **__: object) -> None:
        if any(part in name for part in EVENTS):
            events.append(name)

    jax.monitoring.register_event_listener(told)
    jax.monitoring.register_event_duration_secs_listener(told)
    bodies = Bodies(program)

    def write() -> None:
        found = {"bodies": collections.Counter(bodies.calls), "events": collections.Counter(events)}
        counts.write_text(json.dumps(found))

    atexit.register(write)
    sys.argv[:] = sys.argv[2:]
    sys.path[0] = str(Path(program).resolve().parent)
    bodies.start()
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
