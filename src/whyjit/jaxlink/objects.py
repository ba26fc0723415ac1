"""JAX's own objects as static values: meshes, shardings, devices, dtypes."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def _mesh_types() -> tuple[type, ...]:
    from jax.sharding import AbstractMesh, Mesh

    return Mesh, AbstractMesh


def devices_of(mesh: Any) -> Any:
    """The devices of a mesh; None for an abstract one, which from 0.9 on raises where they are asked for."""
    try:
        return getattr(mesh, "devices", None)
    except (ValueError, NotImplementedError):
        return None


def text_of(value: Any) -> str | None:
    """What tells an object of JAX's from another, as text; None for objects that are not JAX's."""
    module = type(value).__module__
    if not module.startswith(("jax", "jaxlib")):
        return None
    if isinstance(value, _mesh_types()):
        devices = devices_of(value)
        names = "" if devices is None else f" of devices {[getattr(device, 'id', device) for device in devices.flat]}"
        return f"Mesh({dict(getattr(value, 'shape', {}))}{names})"
    if type(value).__name__ == "PjitFunction":  # its text would be that of the function inside, which is the user's
        return f"<jitted {getattr(value, '__name__', 'function')}>"
    if is_anonymous(value):
        return f"<{type(value).__name__} {getattr(value, '__name__', 'object')}>"
    return str(value)


def is_anonymous(value: Any) -> bool:
    """Whether an object's text would only be its address, as that of a `custom_jvp` is: it equals only itself."""
    kind: Any = type(value)
    return kind.__repr__ is object.__repr__ and kind.__eq__ is object.__eq__


def wrapped_by(value: Any) -> Any:
    """The function that a `custom_jvp` or a `custom_vjp` is made of; None for other objects."""
    return getattr(value, "fun", None) if callable(value) else None
