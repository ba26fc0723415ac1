"""The parameters of a jitted function, which of them are static, and the leaves of a call of it that are not."""

from __future__ import annotations

import inspect
from typing import Any

from whyjit.jaxlink import entries
from whyjit.jaxlink.missing import Missing

Statics = tuple[tuple[int, ...], tuple[str, ...]]


def parameters_of(function: Any) -> tuple[str, ...]:
    """The names of a function's parameters; none where its signature cannot be read."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def static_among(parameters: tuple[str, ...], statics: Statics) -> set[str]:
    """The parameters that are static, by the positions and names that `jit` was given."""
    numbers, names = statics
    return {parameters[at] for at in numbers if -len(parameters) <= at < len(parameters)} | set(names)


def traced_leaves(
    function: Any, statics: Statics, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[tuple[str, Any]] | Missing:
    """The leaves of a call with their paths, static arguments aside."""
    static = static_among(parameters_of(function), statics)
    paths = entries.leaf_paths(function, args, kwargs)
    if isinstance(paths, Missing):
        return paths
    return [(path, leaf) for path, leaf in paths if root_of(path) not in static]


def root_of(path: str) -> str:
    """The parameter that a leaf path begins with."""
    return path.split("[", maxsplit=1)[0].split(".", maxsplit=1)[0]
