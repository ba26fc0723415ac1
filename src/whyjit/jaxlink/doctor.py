"""What this JAX lets whyjit see, feature by feature, with the reason for each that it does not."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from whyjit.jaxlink import cached, compiles, context, disk, environment, hits, pmaps, tracing
from whyjit.jaxlink.missing import Missing

if TYPE_CHECKING:
    from collections.abc import Callable


def examine() -> list[tuple[str, bool, str]]:
    """(feature, available, what it rests on or why it is missing) for each, without recording anything."""
    version = environment.jax_version()
    if isinstance(version, Missing):
        return [("JAX", False, version.reason)]
    supported = environment.supported()
    if isinstance(supported, Missing):
        return [("JAX", False, supported.reason)]
    found = [("JAX", True, f"version {version}, jaxlib {environment.jaxlib_version()}")]
    for name, examined, rests_on in _FEATURES:
        try:
            outcome = examined()
        except Exception as fault:
            outcome = Missing(f"{type(fault).__name__}: {fault}")
        missing = isinstance(outcome, Missing)
        found.append((name, not missing, outcome.reason if isinstance(outcome, Missing) else rests_on))
    found.append(_NEVER)
    return found


# On every version so far.
_NEVER = (
    "an unhashable static whose error the program catches",
    False,
    "outside a trace JAX raises it in C++, and no Python of JAX's is passed; uncaught, it is explained",
)


def _door() -> Missing | None:
    from jax._src import pjit

    parameters = list(inspect.signature(pjit._infer_params).parameters)
    return None if parameters == ["fun", "ji", "args", "kwargs"] else Missing(f"_infer_params takes {parameters}")


def _mark() -> Missing | None:
    from jax._src.interpreters.partial_eval import DynamicJaxprTrace

    taken = inspect.signature(DynamicJaxprTrace.__init__).parameters
    return None if "debug_info" in taken else Missing("DynamicJaxprTrace takes no debug_info")


def _end() -> Missing | None:
    from jax._src.interpreters.partial_eval import JaxprStackFrame

    taken = list(inspect.signature(JaxprStackFrame.to_jaxpr).parameters)
    return None if taken[:2] == ["self", "trace"] else Missing(f"JaxprStackFrame.to_jaxpr takes {taken}")


def _compile() -> Missing | None:
    replaced = compiles.replace_compile(lambda _: None)
    if isinstance(replaced, Missing):
        return replaced
    replaced.restore()
    return None


def _keys() -> Missing | None:
    found = cached.traced_for(_keys)
    return found if isinstance(found, Missing) else None


def _hook() -> Missing | None:
    installed = hits.install(lambda *_: None)
    if isinstance(installed, Missing):
        return installed
    installed.remove()
    return None


def _context() -> Missing | None:
    return None if context.context_items() is not None and context.state_names() else Missing("no state has a name")


def _durations() -> Missing | None:
    from jax import monitoring
    from jax._src import monitoring as private

    names = ("unregister_event_duration_listener", "_unregister_event_duration_listener_by_callback")
    if not any(hasattr(home, name) for home in (monitoring, private) for name in names):
        return Missing("jax.monitoring can register a listener but not take it away")
    return None


_FEATURES: tuple[tuple[str, Callable[[], Missing | None], str], ...] = (
    ("calls that miss the fast path", _door, "jax._src.pjit._infer_params"),
    ("traces, nested ones included", _mark, "DynamicJaxprTrace.__init__"),
    ("bodies staged within a trace, and their time", _end, "JaxprStackFrame.to_jaxpr"),
    ("calls on the fast path", _hook, "the C++ post-call hook"),
    ("lowerings, compiles and persistent-cache hits", _durations, "jax.monitoring"),
    ("compiles before they begin, for frozen()", _compile, "jax._src.compiler.backend_compile_and_load"),
    ("what was traced before recording, for frozen()", _keys, "the keys of partial_eval.trace_to_jaxpr"),
    ("why the persistent cache did not answer", disk.examine, "cache_key._log_cache_key_hash, compiler._cache_write"),
    ("transformations around a call", tracing.examine, "jax._src.core.trace_ctx"),
    ("configuration in the caches' keys, by name", _context, "jax._src.config.trace_context"),
    ("calls of jax.pmap", pmaps.examine, "the jit that pmap makes, called from jax/_src/pmap.py"),
)
