"""`jax.vmap` as a loop in Python: each row by itself, so that a Python branch on a row's value can be taken."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator
from typing import Any


@contextlib.contextmanager
def by_rows() -> Generator[None]:
    """Meanwhile `jax.vmap` goes through the rows one after the other, also where it is called later."""
    import jax

    original = jax.vmap
    jax.vmap = looped
    try:
        yield
    finally:
        jax.vmap = original


def looped(
    fun: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0, axis_name: Any = None, **options: Any
) -> Callable[..., Any]:
    """What `jax.vmap` gives, row by row. Keyword arguments are mapped over their first axis, as there.

    Raises:
      NotImplementedError: rows are to see each other, or the axis is given in another way than by its number.
    """
    if axis_name is not None or any(value is not None for value in options.values()):
        raise NotImplementedError("rows of this vmap see each other, or have a place of their own")

    @functools.wraps(fun)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        axes = tuple(in_axes) if isinstance(in_axes, (list, tuple)) else (in_axes,) * len(args)
        sizes = set(_sizes(axes, args)) | set(_sizes((0,) * len(kwargs), tuple(kwargs.values())))
        if len(sizes) != 1:
            raise ValueError(f"vmap got arguments with different numbers of rows: {sorted(sizes)}")
        rows = [
            fun(
                *_row(axes, args, at),
                **dict(zip(kwargs, _row((0,) * len(kwargs), tuple(kwargs.values()), at), strict=True)),
            )
            for at in range(sizes.pop())
        ]
        return _stacked(out_axes, rows)

    return mapped


def _over(axes: Any, tree: Any, change: Callable[[Any, Any], Any]) -> Any:
    """Each array of a tree with the axis that a prefix of the tree gives it."""
    import jax

    each = jax.tree_util.tree_map
    return each(
        lambda axis, part: each(lambda leaf: change(axis, leaf), part), axes, tree, is_leaf=lambda one: one is None
    )


def _sizes(axes: Any, tree: Any) -> list[int]:
    import jax

    found: list[int] = []
    _over(axes, tree, lambda axis, leaf: found.append(jax.numpy.shape(leaf)[axis]) if axis is not None else None)
    return found


def _row(axes: Any, tree: Any, at: int) -> Any:
    def one(axis: Any, leaf: Any) -> Any:
        if axis is None:
            return leaf
        return leaf[(slice(None),) * (axis % len(leaf.shape)) + (at,)]

    return _over(axes, tree, one)


def _stacked(out_axes: Any, rows: list[Any]) -> Any:
    import jax

    whole = jax.tree_util.tree_map(lambda *leaves: list(leaves), *rows)
    structure = jax.tree_util.tree_structure(rows[0])
    leaves = [jax.numpy.stack(part, 0) for part in structure.flatten_up_to(whole)]
    stacked = jax.tree_util.tree_unflatten(structure, leaves)

    def place(axis: Any, leaf: Any) -> Any:
        return leaf[0] if axis is None else jax.numpy.moveaxis(leaf, 0, axis)

    return _over(out_axes, stacked, place)
