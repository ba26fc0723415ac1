"""The plan of an experiment: which arms there are, from the description of the call alone.

The arms that concern the whole call come first, then those of single leaves, one leaf after the other in turns, so that
a plan that is cut short has still looked at every argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from whyjit.errors import WhyjitError
from whyjit.experiment import plan_leaves
from whyjit.model.probe import (
    Arm,
    ByKeyword,
    ByPosition,
    Described,
    Factor,
    Give,
    LeaveOut,
    NewValues,
    Other,
    Parameter,
    Remake,
    Repeat,
    SizesPlan,
    SpellOut,
    Under,
)

KINDS = (
    "values",
    "static",
    "static_identity",
    "given",
    "call_form",
    "structure",
    "transform",
    "shape",
    "dtype",
    "weak_type",
    "sizes",
)
MOST = 60
# Statics that are compared by value alone.
_PLAIN = frozenset({"int", "float", "bool", "str", "bytes", "NoneType", "complex"})
# How many recorded or found values of one parameter are tried.
VALUES = 5


class Plan(NamedTuple):
    """The arms, the axes to try at several sizes, and in words what was left out."""

    arms: tuple[Arm, ...]
    sizes: tuple[SizesPlan, ...]
    left_out: tuple[str, ...]


def plan(described: Described, *, only: tuple[str, ...] = (), most: int = MOST) -> Plan:
    """The plan for a call: a control, and one arm for each other thing that can be changed about it.

    Arguments:
      described: the call.
      only: the kinds of factors to keep, of `KINDS`; the control always is. None means all.
      most: how many arms there may be; the rest is named in `left_out`.
    """
    unknown = [kind for kind in only if kind not in KINDS]
    if unknown:
        raise WhyjitError(f"there is no kind {unknown[0]!r}; choose from: {', '.join(KINDS)}")
    whole = [
        *_values(described),
        *_identities(described),
        *_statics(described),
        *_forms(described),
        *_optional(described),
        *_under(described),
    ]
    tied = list(plan_leaves.tied(described.signature.leaves))
    leaves = [list(plan_leaves.of_leaf(leaf, x64=described.x64)) for leaf in described.signature.leaves]
    turns = [arm for turn in zip_longest(*leaves) for arm in turn if arm is not None]
    arms = [arm for arm in [*whole, *tied, *turns] if not only or arm.factor.kind in only]
    arms.insert(0, Arm(Factor("control", None, "", "the same call again"), Repeat()))
    axes = list(plan_leaves.sizes(described.signature.leaves)) if not only or "sizes" in only else []
    return Plan(
        tuple(arms[:most]),
        tuple(axes[: plan_leaves.MOST_AXES]),
        (*_cut(arms[most:], "arm"), *_untried(described, only), *_axes_left(axes[plan_leaves.MOST_AXES :])),
    )


def _cut(arms: list[Arm], what: str) -> Iterator[str]:
    if arms:
        kinds = sorted({arm.factor.kind for arm in arms})
        yield f"{len(arms)} {what}s of kind {', '.join(kinds)}, beyond the limit; raise it or narrow the plan"


def _axes_left(axes: list[SizesPlan]) -> Iterator[str]:
    if axes:
        yield f"several sizes of {len(axes)} more axes"


def _values(described: Described) -> Iterator[Arm]:
    if any(leaf.holder != "python" for leaf in described.signature.leaves):
        yield Arm(Factor("values", None, "zeros in every array", "ones"), NewValues())


def _identities(described: Described) -> Iterator[Arm]:
    """Statics that are objects: whether an equal one, made anew as each call of a program may, is the same to JAX."""
    nodes = described.signature.nodes
    statics = [*described.signature.statics, *(static for node in nodes for static in node.metadata)]
    objects = [static.path for static in statics if static.type not in _PLAIN or "nan" in static.note]
    if objects:
        path = ", ".join(objects)
        yield Arm(Factor("static_identity", path, "the same objects", "equal ones, made anew"), Remake())


def _statics(described: Described) -> Iterator[Arm]:
    for parameter in described.parameters:
        for other in _tried(parameter):
            kind = "static" if parameter.static else "structure" if parameter.is_none else "given"
            yield Arm(Factor(kind, parameter.name, _current(parameter), other.text, other.guess), other.move)


def _tried(parameter: Parameter) -> list[Other]:
    """The values to try: all that somebody named, and some of those that were recorded or found."""
    named = [other for other in parameter.others if other.move.source in ("expression", "kept")]
    found = [other for other in parameter.others if other not in named]
    return named + found[:VALUES]


def _current(parameter: Parameter) -> str:
    return f"{parameter.text} (left out)" if parameter.form == "default" else parameter.text


def _forms(described: Described) -> Iterator[Arm]:
    parameters = described.parameters
    positional = [parameter for parameter in parameters if parameter.form == "positional"]
    movable = [parameter for parameter in positional if parameter.keyword]
    extra = any(leaf.path.startswith("args[") for leaf in described.signature.leaves)
    firsts = dict.fromkeys(parameter.name for parameter in (*movable[-1:], *movable[:1]))
    for name in firsts if not extra else ():
        names = [parameter.name for parameter in movable][[one.name for one in movable].index(name) :]
        yield Arm(Factor("call_form", ", ".join(names), "positional", "keyword"), ByKeyword(name))
    following = parameters[len(positional)] if len(positional) < len(parameters) else None
    if following is not None and following.form == "keyword" and following.position:
        yield Arm(Factor("call_form", following.name, "keyword", "positional"), ByPosition(following.name))
    for parameter in parameters:
        if parameter.default is None:
            continue
        if parameter.form == "default" and parameter.keyword:
            yield Arm(
                Factor("call_form", parameter.name, "left out", f"its default {parameter.default}, by name"),
                SpellOut(parameter.name),
            )
        elif parameter.form != "default" and parameter.text == parameter.default and parameter.keyword:
            yield Arm(
                Factor("call_form", parameter.name, f"given as {parameter.text}", "left out"), LeaveOut(parameter.name)
            )


def _optional(described: Described) -> Iterator[Arm]:
    for parameter in described.parameters:
        if parameter.optional and not parameter.static and not parameter.is_none:
            yield Arm(
                Factor("structure", parameter.name, parameter.text, "None"), Give(parameter.name, "literal", "None")
            )


def _untried(described: Described, only: tuple[str, ...]) -> Iterator[str]:
    for parameter in described.parameters:
        more = len(parameter.others) - len(_tried(parameter))
        if more and (not only or "static" in only):
            yield f"{more} more recorded or found values of {parameter.name}"
        if parameter.is_none and not parameter.static and not parameter.others and (not only or "given" in only):
            yield (
                f"{parameter.name} is None: what array it could be is not known; name one with "
                f"--vary {parameter.name}=EXPR"
            )
        if parameter.static and not parameter.others and (not only or "static" in only):
            yield (
                f"{parameter.name} = {parameter.text}: no other value was given or found; name one with "
                f"--vary {parameter.name}=EXPR"
            )


def _under(described: Described) -> Iterator[Arm]:
    arrays = [leaf for leaf in described.signature.leaves if leaf.holder != "python"]
    if described.kind == "wrapped" or not arrays:
        return
    yield Arm(Factor("transform", "vmap", "plain", "under vmap, a new first axis of every array"), Under("vmap"))
    if any(leaf.dtype.startswith(("float", "bfloat")) for leaf in arrays):
        yield Arm(Factor("transform", "grad", "plain", "under grad, by every float array"), Under("grad"))
