"""Durations and events that JAX publishes through `jax.monitoring`.

Traps, measured on all supported versions: the trace duration fires when the tracing cache answered, too, and is not
used; the compile duration fires for an executable loaded from the persistent cache, which is told apart by the
`cache_hits` event between the request and the duration; `fun_name` is `jit(name)` for lowering and compiling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.jaxlink.missing import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

LOWER = "/jax/core/compile/jaxpr_to_mlir_module_duration"
COMPILE = "/jax/core/compile/backend_compile_duration"
CACHE_HIT = "/jax/compilation_cache/cache_hits"
CACHE_ASKED = "/jax/compilation_cache/compile_requests_use_cache"
CACHE_WRITTEN = "/jax/compilation_cache/cache_misses"  # sent where an entry is written, and only there


class Listeners:
    """The two listeners of a recording, registered with JAX until removed."""

    def __init__(self, on_duration: Callable[..., None], on_event: Callable[..., None]) -> None:
        from jax import monitoring

        self._on_duration = on_duration
        self._on_event = on_event
        monitoring.register_event_duration_secs_listener(on_duration)
        monitoring.register_event_listener(on_event)

    def remove(self) -> Missing | None:
        """Take both listeners away. Missing where this JAX can only take all listeners away."""
        import jax.monitoring as public
        from jax._src import monitoring as private

        pairs = (("duration_", self._on_duration), ("", self._on_event))
        for kind, listener in pairs:
            names = (f"unregister_event_{kind}listener", f"_unregister_event_{kind}listener_by_callback")
            unregister = next(
                (getattr(home, name) for name in names for home in (public, private) if hasattr(home, name)), None
            )
            if unregister is None:
                return Missing(f"jax.monitoring has none of {', '.join(names)}")
            try:
                unregister(listener)
            except (AssertionError, ValueError):
                continue  # the user's program has cleared all listeners
        return None

    def still_there(self) -> bool:
        """Whether the listeners are registered: `jax.monitoring.clear_event_listeners` takes everybody's."""
        from jax._src import monitoring

        getter = getattr(monitoring, "get_event_duration_listeners", None)
        return getter is None or self._on_duration in getter()


def plain_name(fun_name: Any) -> str:
    """The function's own name in an event's `fun_name`: `jit(step)` gives `step`, `jit(jvp(step))` too."""
    name = str(fun_name or "")
    while name.endswith(")") and "(" in name:
        name = name[name.index("(") + 1 : -1]
    return name
