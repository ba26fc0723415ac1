"""whyjit, the call ledger for JAX: every trace and compile of a program, why it happened, and what it cost.

Importing it costs next to nothing: each public name is fetched from its module when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whyjit.api import load, record
    from whyjit.errors import WhyjitError
    from whyjit.explaining import explain

_HOMES = {
    "WhyjitError": "whyjit.errors",
    "explain": "whyjit.explaining",
    "load": "whyjit.api",
    "record": "whyjit.api",
}

__all__ = ["WhyjitError", "explain", "load", "record"]


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
