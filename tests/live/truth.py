"""Independent truth to compare the ledger with: counters in Python bodies, and JAX's own monitoring events."""

from __future__ import annotations

import contextlib
from collections import Counter

import jax

COMPILE = "/jax/core/compile/backend_compile_duration"
LOWER = "/jax/core/compile/jaxpr_to_mlir_module_duration"


class Truth:
    """Counts compiles and lowerings by function name, and loads from the persistent cache."""

    def __init__(self):
        self.compiles, self.lowerings, self.loads = Counter(), Counter(), 0

    def on_duration(self, event, _seconds, **details):
        name = str(details.get("fun_name", "")).removeprefix("jit(").removesuffix(")")
        if event == COMPILE:
            self.compiles[name] += 1
        elif event == LOWER:
            self.lowerings[name] += 1

    def on_event(self, event, **_):
        self.loads += event == "/jax/compilation_cache/cache_hits"


@contextlib.contextmanager
def truth():
    """Collect while the block runs."""
    from jax._src import monitoring

    found = Truth()
    jax.monitoring.register_event_duration_secs_listener(found.on_duration)
    jax.monitoring.register_event_listener(found.on_event)
    try:
        yield found
    finally:
        for kind, listener in (("duration_", found.on_duration), ("", found.on_event)):
            name = f"unregister_event_{kind}listener"
            old = f"_unregister_event_{kind}listener_by_callback"
            (getattr(monitoring, name, None) or getattr(monitoring, old))(listener)


def function(report, name):
    """The user's function of this name in a report."""
    found = [f for f in report["functions"] if f["name"] == name and f["origin"] == "user"]
    assert len(found) == 1, [f["qualname"] for f in found]
    return found[0]
