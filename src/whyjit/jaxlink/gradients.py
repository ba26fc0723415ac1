"""Gradients of a function with respect to its float arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def gradient(jitted: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], leave: frozenset[str]) -> Any:
    """The gradient of the sum of the squares of a function's float results, in its float arrays; None if there is none.

    `leave` names parameters that are held fixed. Raises what taking the gradient raises.
    """
    import jax
    import numpy as np

    flat, tree = jax.tree_util.tree_flatten_with_path((args, kwargs))
    names = _names(jitted, args)
    moving = [
        at
        for at, (path, leaf) in enumerate(flat)
        if isinstance(leaf, (jax.Array, np.ndarray))
        and jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating)
        and _parameter(path, names) not in leave
    ]
    if not moving:
        return None
    leaves = [leaf for _, leaf in flat]
    outputs = 0
    total = jax.numpy.zeros(())

    def loss(moved: list[Any]) -> Any:
        nonlocal outputs
        filled = list(leaves)
        for at, value in zip(moving, moved, strict=True):
            filled[at] = value
        args, kwargs = jax.tree_util.tree_unflatten(tree, filled)
        result = jax.tree_util.tree_leaves(jitted(*args, **kwargs))
        floats = [leaf for leaf in result if jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating)]
        outputs = len(floats)
        # Squares, so that the gradient depends on the results; summed in the default type, whatever theirs are.
        return sum((jax.numpy.sum(leaf * leaf).astype(total.dtype) for leaf in floats), total)

    found = jax.jit(jax.grad(loss))([leaves[at] for at in moving])
    return found if outputs else None


def _names(jitted: Callable[..., Any], args: tuple[Any, ...]) -> list[str]:
    """The parameters that positional arguments go to."""
    import inspect

    try:
        parameters = list(inspect.signature(jitted).parameters)
    except (TypeError, ValueError):
        parameters = []
    return [parameters[at] if at < len(parameters) else "" for at in range(len(args))]


def _parameter(path: tuple[Any, ...], names: list[str]) -> str:
    place, key = path[0], path[1] if len(path) > 1 else None
    if getattr(place, "idx", 0) == 1:
        return str(getattr(key, "key", ""))
    at = getattr(key, "idx", len(names))
    return names[at] if at < len(names) else ""
