"""In the process of an experiment: the function and its call in neutral words, as the plan needs them."""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Iterator
from typing import Any

from whyjit.errors import WhyjitError
from whyjit.experiment.annotated import hints_of, optional_array
from whyjit.experiment.jobs import Job
from whyjit.experiment.moves import choices, enum_of, value_of
from whyjit.experiment.opened import Opened
from whyjit.jaxlink import abstract, jits
from whyjit.jaxlink.programs import Tokens
from whyjit.model.avals import leaf_text
from whyjit.model.probe import Described, Give, Other, Parameter
from whyjit.observe import signatures
from whyjit.observe.functions import identify
from whyjit.observe.looks import Describer


def describe(opened: Opened, job: Job) -> Described:
    """The description of a call: every leaf and static, every parameter and what else it could be."""
    known = opened.signature.parameters if opened.signature is not None else {}
    for name in (*dict(job.vary), *opened.varied):
        if name not in known:
            raise WhyjitError(f"there is no argument {name} to vary; the function has {', '.join(known) or 'none'}")
    identity = identify(opened.function)
    describer = Describer(Tokens())
    built = signatures.build(opened.signature_call(), describer, jits.info_of(opened.staged), ())
    return Described(
        identity.name,
        job.target.file or identity.file,
        job.target.line or identity.line,
        opened.kind,  # type: ignore[arg-type]
        built.signature,
        tuple(_parameters(opened, job, describer)),
        opened.made_static,
        abstract.x64(),
    )


def _parameters(opened: Opened, job: Job, describer: Describer) -> Iterator[Parameter]:
    known = opened.signature.parameters if opened.signature is not None else {}
    hints = hints_of(opened.function)
    given = {one.name: one for one in opened.given()}
    statics = opened.static_names()
    for name, parameter in known.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        default = None if parameter.default is parameter.empty else parameter.default
        one = given.get(name)
        value = default if one is None else one.value
        static = name in statics
        yield Parameter(
            name,
            "default" if one is None else one.form,
            static,
            _text(value, name, describer, static=static),
            None if parameter.default is parameter.empty else _text(default, name, describer, static=static),
            keyword=parameter.kind is not parameter.POSITIONAL_ONLY,
            position=parameter.kind is not parameter.KEYWORD_ONLY,
            optional=_is_optional(parameter, hints.get(name)),
            is_none=value is None,
            others=tuple(_others(opened, job, name, value, describer, static=static)),
        )


def _text(value: Any, name: str, describer: Describer, *, static: bool) -> str:
    """A value in a few words: a type for an array, the look of anything else."""
    if static or value is None:
        return describer.static(name, value).text
    leaves = abstract.paths_and_leaves(value, name)
    if len(leaves) == 1 and leaves[0][0] == name:
        leaf = signatures.leaf_of(abstract.abstract(leaves[0][1]), name)
        return describer.static(name, value).text if leaf.holder in ("python", "other") else leaf_text(leaf)
    return f"{type(value).__name__} of {len(leaves)} {'leaf' if len(leaves) == 1 else 'leaves'}"


def _is_optional(parameter: inspect.Parameter, hint: Any) -> bool:
    return parameter.default is None or type(None) in typing.get_args(hint)


def _others(opened: Opened, job: Job, name: str, value: Any, describer: Describer, *, static: bool) -> Iterator[Other]:
    """Other values for a parameter, each look only once."""
    seen = {describer.static(name, value).look} if static else set()
    moves = [(Give(name, "expression", text), False) for known, text in job.vary if known == name]
    moves += [(Give(name, "kept", str(at)), False) for at in range(len(opened.varied.get(name, ())))]
    if static:
        moves += [(Give(name, "literal", text), False) for known, text in job.recorded if known == name]
        moves += _found(opened, name, value)
    elif value is None and optional_array(hints_of(opened.function).get(name)) is not None:
        moves.append((Give(name, "annotation", ""), False))
    for move, guess in moves:
        if guess and len(seen) > 1:
            continue
        try:
            other = value_of(opened, move)
        except WhyjitError:
            if move.source == "literal":
                continue
            raise
        except (ValueError, SyntaxError):  # a recorded value whose text is no literal
            continue
        look = describer.static(name, other).look
        if static and look in seen:
            continue
        seen.add(look)
        yield Other(move, _text(_shown(other), name, describer, static=static), guess)


def _shown(value: Any) -> Any:
    """A value whose arrays are types, so that it can be described without its contents."""
    return abstract.abstract_tree(value) if not isinstance(value, (str, bytes)) else value


def _found(opened: Opened, name: str, value: Any) -> list[tuple[Give, bool]]:
    """The values that the program itself offers: members of an enum, a `Literal`'s choices, the other boolean.

    A number is offered a neighbour, which is a guess.
    """
    kind = enum_of(opened, name)
    if kind is not None:
        return [(Give(name, "member", member.name), False) for member in kind]
    offered = choices(hints_of(opened.function).get(name))
    if offered:
        return [(Give(name, "choice", str(at)), False) for at in range(len(offered))]
    if isinstance(value, bool):
        return [(Give(name, "literal", str(not value)), False)]
    if isinstance(value, enum.Enum):
        return []
    if type(value) is int:
        return [(Give(name, "literal", str(value + 1)), True)]
    if type(value) is float and value - value == 0:
        return [(Give(name, "literal", repr(value * 2 if value else 1.0)), True)]
    return []
