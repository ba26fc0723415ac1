"""The signature of a call, read from its live arguments."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink import arrays, context, doors, jits, trees
from whyjit.model.signature import CallForm, Leaf, Node, Signature
from whyjit.observe.given import SCALARS
from whyjit.observe.looks import type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.signature import Static
    from whyjit.observe.looks import Describer

_LEAVES = 20000


class Given(NamedTuple):
    """One argument as given: the parameter's name, its place in the signature, how it was given, and its value."""

    name: str
    place: int
    form: str
    value: Any
    static: bool


class Call(NamedTuple):
    """The call as the user wrote it: the function's Python signature, its arguments, and which of them are static.

    `leaf_is_static` decides for a leaf of a non-static argument, for wrappers that split arrays from the rest. With
    `wrapped` JAX got these arguments from a wrapper, and not as they are here.
    """

    signature: inspect.Signature | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    leaf_is_static: Callable[[Any], bool] | None = None
    wrapped: bool = False


def call_of(jit_info: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Call:
    """A call of a jitted function, which `jit_info` is of, with these arguments."""
    numbers, names = jits.statics_of(jit_info)
    return Call(jits.python_signature_of(jit_info), args, kwargs or {}, numbers, names)


def given(call: Call) -> tuple[list[Given], CallForm]:
    """The arguments in JAX's order (positional ones, then keywords by name), and the form of the call."""
    parameters = list(call.signature.parameters.values()) if call.signature is not None else []
    places = {parameter.name: at for at, parameter in enumerate(parameters)}
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "args")
    others = next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), "kwargs")
    count = len(call.args)
    static_places = {at + count if at < 0 else at for at in call.static_argnums}
    found: list[Given] = []
    forms: list[tuple[str, str]] = []
    for at, value in enumerate(call.args):
        named = at < len(positional)
        name = positional[at].name if named else f"{rest}[{at - len(positional)}]"
        static = at in static_places or name in call.static_argnames
        found.append(Given(name, places.get(name, at) if named else len(positional) + at, "positional", value, static))
        if named:
            forms.append((name, "positional"))
    for key in sorted(call.kwargs):
        known = key in places
        name = key if known else f"{others}[{key!r}]"
        static = key in call.static_argnames
        found.append(Given(name, places.get(key, 10**6), "keyword", call.kwargs[key], static))
        forms.append((name, "keyword"))
    got = {name for name, _ in forms}
    forms += [(p.name, "default") for p in parameters if p.name not in got and p.default is not p.empty]
    order = {name: places.get(name, 10**6) for name, _ in forms}
    return found, CallForm(tuple(sorted(forms, key=lambda form: (order[form[0]], form[0]))))


def _rest(call: Call) -> Node | None:
    """The arguments that `*args` takes up: JAX keys on how many there are."""
    parameters = list(call.signature.parameters.values()) if call.signature is not None else []
    named = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    name = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "args" if not parameters else "")
    if not name:
        return None
    return Node(name, "tuple", tuple(f"[{at}]" for at in range(max(0, len(call.args) - named))))


def _defaults(call: Call, form: CallForm, describer: Describer) -> tuple[Static, ...]:
    if call.signature is None or not call.static_argnames:
        return ()
    left_out = [name for name, how in form.parameters if how == "default" and name in call.static_argnames]
    return tuple(describer.static(name, call.signature.parameters[name].default) for name in left_out)


class Built(NamedTuple):
    """A signature, and for each input of the staged program its number in the signature's own order.

    `scalars` are the leaves that were scalars of Python's, with their values.
    """

    signature: Signature
    order: tuple[int, ...] | None
    scalars: tuple[tuple[str, Any], ...] = ()


def build(call: Call, describer: Describer, jit_info: Any, transforms: tuple[str, ...]) -> Built:
    """The signature of a call."""
    arguments, form = given(call)
    statics: list[Static] = []
    nodes: list[Node] = []
    leaves: list[tuple[int, Leaf]] = []
    scalars: list[tuple[str, Any]] = []
    rest = _rest(call)
    if rest is not None:
        nodes.append(rest)
    for argument in arguments:
        if argument.static:
            statics.append(describer.static(argument.name, argument.value))
            continue
        walk = _Walk(describer, call.leaf_is_static, nodes, statics, scalars)
        walk.visit(argument.value, argument.name)
        leaves.extend((argument.place, leaf) for leaf in walk.leaves)
    ranked = sorted(range(len(leaves)), key=lambda at: (leaves[at][0], at))
    order = [0] * len(leaves)
    for number, at in enumerate(ranked):
        order[at] = number
    signature = Signature(
        CallForm(form.parameters, _defaults(call, form, describer)),
        tuple(nodes),
        tuple(leaves[at][1] for at in ranked),
        tuple(statics),
        context.context_items(),
        jits.options_of(jit_info),
        transforms,
    )
    return Built(signature, tuple(order) if call.leaf_is_static is None else None, tuple(scalars))


class _Walk:
    def __init__(
        self,
        describer: Describer,
        is_static: Callable[[Any], bool] | None,
        nodes: list[Node],
        statics: list[Static],
        scalars: list[tuple[str, Any]],
    ) -> None:
        self._describer = describer
        self._is_static = is_static
        self._nodes = nodes
        self._statics = statics
        self._scalars = scalars
        self.leaves: list[Leaf] = []

    def visit(self, value: Any, path: str) -> None:
        level = trees.one_level(value)
        if level is None:
            self._leaf(value, path)
            return
        metadata = tuple(self._describer.static(path + name, inner) for name, inner in level.metadata)
        container = level.container + ("" if level.kind is None else self._describer.class_mark(level.kind))
        self._nodes.append(Node(path, container, level.keys, metadata))
        if len(self.leaves) > _LEAVES:
            return
        for key, child in zip(level.keys, level.children, strict=True):
            self.visit(child, path + key)

    def _leaf(self, value: Any, path: str) -> None:
        if self._is_static is not None and self._is_static(value):
            self._statics.append(self._describer.static(path, value))
            return
        if type(value) in SCALARS:
            self._scalars.append((path, value))
        self.leaves.append(leaf_of(value, path))


def leaf_of(value: Any, path: str) -> Leaf:
    """The facts of one leaf. What JAX does not take is named by its type."""
    facts = arrays.facts_of(value)
    if facts is None:
        return Leaf(path, (), type_name(type(value)), holder="other")
    return Leaf(path, *facts)


def outputs(closed: Any) -> tuple[Leaf, ...]:
    """The types of what a staged program returns. One without a dtype, as a token, is no array."""
    return tuple(
        Leaf(path, tuple(aval.shape), arrays.dtype_name(aval.dtype), bool(getattr(aval, "weak_type", False)))
        for path, aval in doors.outputs_of(closed)
        if hasattr(aval, "dtype")
    )
