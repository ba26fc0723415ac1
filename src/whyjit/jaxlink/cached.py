"""What JAX's tracing cache holds for a function: the abstract arguments that it was traced for before.

Evidence, on 0.10.2 and 0.12.0.1: `partial_eval.trace_to_jaxpr` is a weak cache. Its `cache_keys()` are, for each entry,
a weak reference to the function, the tracing context, and the positional arguments of the staging; the first of these
is a flat tree of the arguments and keywords of the call, static values among them.

The trees are put together without the unflattening functions of the user's classes: for a node of such a class, what
one of the same class at the same place of the present call looks like is taken, with the other's children.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from whyjit.jaxlink import trees
from whyjit.jaxlink.missing import Missing


class Traced(NamedTuple):
    """One entry. `here` tells that its tracing context is the present one. A node of a user's class is a `Level`."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    here: bool


class _CannotTell(Exception):  # noqa: N818 - the entry is left out
    """A node of a class that nothing like it is known of."""


def traced_for(
    function: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> list[Traced] | Missing:
    """The entries for this very function object, so far as they can be told beside a call with these arguments."""
    try:
        from jax._src import config, pjit
        from jax._src.interpreters import partial_eval

        if hasattr(pjit, "_create_pjit_jaxpr"):
            return Missing("before JAX 0.10 the keys of its tracing cache are where nobody else can read them")
        keys = partial_eval.trace_to_jaxpr.cache_keys()
        context = config.trace_context()
    except (ImportError, AttributeError) as fault:
        return Missing(f"JAX's tracing cache cannot be asked: {fault}")
    found: list[Traced] = []
    for reference, made_in, arguments, *_ in keys:
        if reference() is not function:
            continue
        try:
            then, named = _tree(arguments[0], (args, kwargs or {}))
        except _CannotTell:
            continue
        except Exception as fault:
            return Missing(f"an entry of JAX's tracing cache cannot be read: {fault}")
        found.append(Traced(tuple(then), dict(named), made_in == context))
    return found


def _tree(flat: Any, like: Any) -> Any:
    """What a flat tree stands for. `like` is what the present call has at its place."""
    kind = type(flat).__name__
    if kind == "FTTuple":
        return tuple(_tree(part, _item(like, at)) for at, part in enumerate(flat.elts))
    if kind == "FTDict":
        return {key: _tree(part, _item(like, key)) for key, part in zip(flat.keys, flat._vals, strict=True)}
    if kind in ("FTStatic", "FTSingleton"):
        return flat.val
    return _node(flat.tree, iter(flat.vals), like)


def _item(holder: Any, key: Any) -> Any:
    """An item of a plain container, or None."""
    if type(holder) is dict:
        return holder.get(key)
    return holder[key] if type(holder) in (tuple, list) and key < len(holder) else None


def _node(tree: Any, leaves: Iterator[Any], like: Any) -> Any:
    data = tree.node_data()
    if data is None:
        return next(leaves)
    kind, auxiliary = data
    parts = tree.children()
    if kind is type(None):
        return None
    if kind is tuple or kind is list:
        return kind(_node(part, leaves, _item(like, at)) for at, part in enumerate(parts))
    if kind is dict:
        return {key: _node(part, leaves, _item(like, key)) for key, part in zip(auxiliary, parts, strict=True)}
    if kind.__module__.startswith("jax._src.") and kind.__name__ == "Static":
        return auxiliary.val
    level = trees.one_level(like) if type(like) is kind else None
    if level is None or len(level.children) != len(parts):
        raise _CannotTell
    children = tuple(_node(part, leaves, child) for part, child in zip(parts, level.children, strict=True))
    return level._replace(children=children, metadata=_metadata(level, like, auxiliary))


def _metadata(level: trees.Level, like: Any, auxiliary: Any) -> tuple[tuple[str, Any], ...]:
    """The metadata of a node as of one like it: the same names, with what this one's auxiliary data have there."""
    present = trees.auxiliary_of(like)
    if [name for name, _ in level.metadata] == [""]:
        return (("", auxiliary),)
    if not level.metadata:
        return ()
    if type(present) is not tuple or type(auxiliary) is not tuple or len(present) != len(auxiliary):
        raise _CannotTell
    found: list[tuple[str, Any]] = []
    places = list(range(len(present)))
    for name, value in level.metadata:
        at = next((place for place in places if present[place] is value), None)
        if at is None:
            raise _CannotTell
        places.remove(at)
        found.append((name, auxiliary[at]))
    return tuple(found)
