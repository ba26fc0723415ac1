"""In the process of an experiment: one factor of a call, changed."""

from __future__ import annotations

import ast
import enum
import typing
from typing import Any

from whyjit.errors import WhyjitError
from whyjit.experiment.annotated import example, hints_of, optional_array, sizes_of
from whyjit.experiment.opened import Opened
from whyjit.jaxlink import abstract
from whyjit.model.probe import (
    ByKeyword,
    ByPosition,
    Cast,
    Give,
    LeaveOut,
    Move,
    NewValues,
    Remake,
    Repeat,
    Resize,
    SpellOut,
    Under,
)


def changed(opened: Opened, move: Move) -> Opened:
    """The call with a move made. What repeats, has new values or is transformed is the same call here."""
    match move:
        case Repeat() | NewValues() | Under():
            return opened
        case Remake():
            return opened.having(*opened.remake())
        case Resize():
            return resized(opened, move.axes, move.size)
        case Cast():
            return opened.mapped(lambda path, leaf: _cast(leaf, move) if path == move.path else leaf)
        case Give():
            return put(opened, move.name, value_of(opened, move))
        case LeaveOut():
            return _left_out(opened, move.name)
        case SpellOut():
            return opened.having(opened.args, {**opened.kwargs, move.name: _default(opened, move.name)})
        case ByKeyword():
            return _by_keyword(opened, move.name)
        case ByPosition():
            kwargs = dict(opened.kwargs)
            value = kwargs.pop(move.name)
            return opened.having((*opened.args, value), kwargs)


def resized(opened: Opened, axes: tuple[tuple[str, int], ...], size: Any) -> Opened:
    """With these axes of array leaves at a size, which may be symbolic."""
    wanted: dict[str, set[int]] = {}
    for path, axis in axes:
        wanted.setdefault(path, set()).add(axis)

    def change(path: str, leaf: Any) -> Any:
        if path not in wanted:
            return leaf
        shape = tuple(size if at in wanted[path] else old for at, old in enumerate(leaf.shape))
        return type(leaf)(shape, leaf.dtype, weak_type=abstract.is_weak(leaf))

    return opened.mapped(change)


def _cast(leaf: Any, move: Cast) -> Any:
    shape = leaf.shape if abstract.is_abstract(leaf) else ()
    return abstract.array_type(shape, move.dtype, weak=move.weak_type)


def put(opened: Opened, name: str, value: Any) -> Opened:
    """With another value for a parameter, in the form in which it was given; by name where it was left out."""
    value = value if name in opened.static_names() else abstract.abstract_tree(value)
    for at, one in enumerate(opened.given()):
        if one.name == name and at < len(opened.args):
            return opened.having((*opened.args[:at], value, *opened.args[at + 1 :]), opened.kwargs)
    return opened.having(opened.args, {**opened.kwargs, name: value})


def value_of(opened: Opened, move: Give) -> Any:
    """The value that a move gives."""
    match move.source:
        case "expression":
            return opened.evaluate(move.text, "--vary")
        case "literal":
            return ast.literal_eval(move.text)
        case "kept":
            return opened.varied[move.name][int(move.text)]
        case "annotation":
            hints = hints_of(opened.function)
            sizes = sizes_of(hints, {one.name: one.value for one in opened.given()})
            return example(optional_array(hints[move.name]), move.name, sizes)
        case "choice":
            return choices(hints_of(opened.function).get(move.name))[int(move.text)]
        case "member":
            kind = enum_of(opened, move.name)
            if kind is None:
                raise WhyjitError(f"{move.name} is no longer an enum")
            return kind[move.text]


def choices(hint: Any) -> tuple[Any, ...]:
    """The values that a `Literal[...]` annotation allows, also as part of a union."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return parts
    if origin is typing.Annotated:
        return choices(parts[0])
    return tuple(value for part in parts for value in choices(part)) if origin is not None and _is_union(origin) else ()


def _is_union(origin: Any) -> bool:
    import types

    return origin in (typing.Union, types.UnionType)


def enum_of(opened: Opened, name: str) -> type[enum.Enum] | None:
    """The enum that a parameter's value, default or annotation belongs to."""
    hint = hints_of(opened.function).get(name)
    kinds = [type(one.value) for one in opened.given() if one.name == name]
    default = (
        opened.signature.parameters[name].default if opened.signature and name in opened.signature.parameters else None
    )
    for kind in (*kinds, type(default), hint, *typing.get_args(hint)):
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return kind
    return None


def _default(opened: Opened, name: str) -> Any:
    if opened.signature is None:
        raise WhyjitError(f"the default of {name} cannot be read")
    return opened.signature.parameters[name].default


def _left_out(opened: Opened, name: str) -> Opened:
    if name in opened.kwargs:
        return opened.having(opened.args, {key: value for key, value in opened.kwargs.items() if key != name})
    moved = _by_keyword(opened, name)
    return moved.having(moved.args, {key: value for key, value in moved.kwargs.items() if key != name})


def _by_keyword(opened: Opened, name: str) -> Opened:
    names = [one.name for one in opened.given()][: len(opened.args)]
    at = names.index(name)
    moved = dict(zip(names[at:], opened.args[at:], strict=True))
    return opened.having(opened.args[:at], {**opened.kwargs, **moved})
