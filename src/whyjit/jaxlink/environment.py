"""Which JAX this is, and on what it runs."""

from __future__ import annotations

import sys
from importlib import metadata

from whyjit.jaxlink.missing import Missing

OLDEST = (0, 6)


def jax_version() -> str | Missing:
    """The installed JAX's version, read without importing it."""
    try:
        return metadata.version("jax")
    except metadata.PackageNotFoundError:
        return Missing("JAX is not installed in this Python")


def supported() -> Missing | None:
    """Whether the installed JAX is one that whyjit was made for: 0.6 or newer."""
    version = jax_version()
    if isinstance(version, Missing):
        return version
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST:
        return Missing(f"JAX {version} is older than 0.6")
    return None


def jaxlib_version() -> str:
    """The installed jaxlib's version, or ""."""
    try:
        return metadata.version("jaxlib")
    except metadata.PackageNotFoundError:
        return ""


def platform() -> str:
    """The backend in use, if one has been made already: asking JAX would make one."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    backends = getattr(bridge, "_backends", None)
    default = getattr(bridge, "_default_backend", None)
    if default is not None:
        return str(getattr(default, "platform", ""))
    return ",".join(sorted(backends)) if backends else ""


def process_index() -> int:
    """This process's number under `jax.distributed`, 0 outside it."""
    distributed = sys.modules.get("jax._src.distributed")
    state = getattr(distributed, "global_state", None)
    return int(getattr(state, "process_id", 0) or 0)
