"""What a function changes outside itself, found by looking before and after it runs."""

from __future__ import annotations

import contextlib
import types
from typing import Any

from whyjit.jaxlink import freezing

_LONGEST = 1 << 20
_PLAIN = (int, float, complex, str, bytes, bool, type(None), tuple, list, dict, set, frozenset, bytearray)


def state(module: types.ModuleType, arguments: Any) -> dict[str, str]:
    """The module's variables, the attributes of its classes, and the arguments: a digest of each that can be taken."""
    found: dict[str, str] = {}
    for name, value in list(vars(module).items()):
        if name.startswith("__") or isinstance(value, (types.ModuleType, types.FunctionType)):
            continue
        if isinstance(value, type):
            if value.__module__ == module.__name__:
                for inner, part in list(vars(value).items()):
                    if not inner.startswith("__") and isinstance(part, _PLAIN):
                        _take(found, f"{name}.{inner}", part)
            continue
        _take(found, name, value)
    _take(found, "an argument", arguments)
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> str:
    """What differs between two states: a name; "" if nothing does."""
    return next((name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)), "")


def _take(found: dict[str, str], name: str, value: Any) -> None:
    with contextlib.suppress(Exception):
        found[name] = freezing.look(value, _LONGEST)
