"""whyjit, the call ledger for JAX: every trace and compile of a program, why it happened, and what it cost.

Importing it costs next to nothing: each public name is fetched from its module when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whyjit.advising import advise
    from whyjit.api import load, record
    from whyjit.comparing import compare
    from whyjit.errors import WhyjitError
    from whyjit.explaining import explain
    from whyjit.guards.errors import ExpectationError, FrozenError, FrozenWarning
    from whyjit.guards.expect import expect
    from whyjit.guards.frozen import frozen
    from whyjit.inputs import roles
    from whyjit.probing import probe
    from whyjit.rewrite.buckets.bucketed import bucketed

_HOMES = {
    "ExpectationError": "whyjit.guards.errors",
    "FrozenError": "whyjit.guards.errors",
    "FrozenWarning": "whyjit.guards.errors",
    "WhyjitError": "whyjit.errors",
    "advise": "whyjit.advising",
    "bucketed": "whyjit.rewrite.buckets.bucketed",
    "compare": "whyjit.comparing",
    "expect": "whyjit.guards.expect",
    "explain": "whyjit.explaining",
    "frozen": "whyjit.guards.frozen",
    "load": "whyjit.api",
    "load_ipython_extension": "whyjit.notebook",
    "probe": "whyjit.probing",
    "record": "whyjit.api",
    "roles": "whyjit.inputs",
    "unload_ipython_extension": "whyjit.notebook",
}

__all__ = [
    "ExpectationError",
    "FrozenError",
    "FrozenWarning",
    "WhyjitError",
    "advise",
    "bucketed",
    "compare",
    "expect",
    "explain",
    "frozen",
    "load",
    "probe",
    "record",
    "roles",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib import metadata

        try:
            return metadata.version("whyjit")
        except metadata.PackageNotFoundError:  # run from a source tree
            return "unknown"
    if name not in _HOMES:
        raise AttributeError(f"module 'whyjit' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
