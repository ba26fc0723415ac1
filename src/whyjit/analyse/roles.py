"""The roles of a call's inputs, from its signature, its program, and what other values of its statics gave."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.delta import program_delta
from whyjit.analyse.difference import changes
from whyjit.analyse.touched import touched
from whyjit.analyse.uses import used_inputs
from whyjit.model.avals import leaf_text
from whyjit.model.roles import Metadata, RoleLine, RuntimeValue, StaticRole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whyjit.model.failure import Failure
    from whyjit.model.finding import Delta
    from whyjit.model.program import Program
    from whyjit.model.recording import Specialization
    from whyjit.model.roles import Reach
    from whyjit.model.signature import Leaf, Signature, Static

    SourceOf = Callable[[str, int], str]

_REACHES: dict[str, Reach] = {
    "branch-on-value": "decision",
    "loop-on-value": "decision",
    "concrete-needed": "python",
    "numpy-on-tracer": "python",
    "boolean-mask": "shape",
    "shape-from-value": "shape",
}
_TELLING = ("identical", "literals", "shapes", "dtypes", "structure")
_LINES = 12


class Tried(NamedTuple):
    """A static's other value: what it gave, or in `error` why it gave nothing."""

    value: str
    delta: Delta | None = None
    note: str = ""
    program: Program | None = None
    error: str = ""
    guess: bool = False


def runtime_values(
    signature: Signature,
    program: Program | None,
    failure: Failure | None,
    error: str = "",
    *,
    in_order: bool = True,
    uses: Mapping[str, bool] | None = None,
) -> tuple[RuntimeValue, ...]:
    """The role of each leaf. `failure` and `error` say why there is no program.

    `in_order` tells that the program's inputs are the signature's leaves in their order; `uses` tells by leaf path
    which are used, where that is known otherwise.
    """
    if uses is not None:
        used = [uses.get(leaf.path) for leaf in signature.leaves]
    else:
        used = _used(signature.leaves, program, in_order=in_order)
    return tuple(
        RuntimeValue(leaf.path, leaf_text(leaf), use, *_reach(leaf, program, failure, error))
        for leaf, use in zip(signature.leaves, used, strict=True)
    )


def _used(leaves: Sequence[Leaf], program: Program | None, *, in_order: bool) -> list[bool | None]:
    if program is None:
        return [None] * len(leaves)
    uses = used_inputs(program)
    if in_order and len(uses) == len(leaves):
        return list(uses)
    # A wrapper has rearranged the inputs: those of a type that no other has can still be told.
    by_type = dict(zip(program.inputs, uses, strict=True))
    counts = Counter(program.inputs)
    own = Counter(map(leaf_text, leaves))
    return [by_type[text] if counts[text] == own[text] == 1 else None for text in map(leaf_text, leaves)]


def _reach(leaf: Leaf, program: Program | None, failure: Failure | None, error: str) -> tuple[Reach, str]:
    if program is not None:
        return "nothing", ""
    if failure is None or not failure.file:
        return "unknown", f"tracing failed: {error}" if error else "the program was not kept"
    where = f"{failure.file}:{failure.line}: {failure.expression}"
    if any(_is_part(leaf.path, path) for path in failure.arguments):
        return _REACHES.get(failure.code, "unknown"), where
    return "unknown", f"tracing ended at {where}"


def _is_part(path: str, argument: str) -> bool:
    return path == argument or path.startswith((f"{argument}[", f"{argument}."))


def metadata(signature: Signature) -> tuple[Metadata, ...]:
    """The containers of the arguments."""
    return tuple(
        Metadata(node.path, f"{node.container} of {', '.join(node.keys[:8])}" if node.keys else node.container)
        for node in signature.nodes
        if node.keys or node.container == "None"
    )


def all_statics(signature: Signature) -> Iterator[tuple[Static, bool]]:
    """Every static, and whether it is part of a container's class data and not an argument of its own."""
    for static in signature.statics:
        yield static, False
    for node in signature.nodes:
        for static in node.metadata:
            yield static, True


def static_role(static: Static, tried: Sequence[Tried], program: Program | None, source_of: SourceOf) -> StaticRole:
    """The role of a static from the values that were tried: the most telling of them speaks."""
    known = [one for one in tried if one.delta is not None]
    if not known:
        failed = next((one for one in tried if one.error), None)
        why = f"it could not be told: with {failed.value} tracing fails: {failed.error}" if failed else ""
        return StaticRole(static.path, static.text, why=why or "no other value of it was seen or found")
    best = max(known, key=lambda one: _TELLING.index(one.delta or "identical"))
    lines: tuple[RoleLine, ...] = ()
    if program is not None and best.program is not None and best.delta != "identical":
        lines = tuple(
            RoleLine(one.sign, one.file, one.line, source_of(one.file, one.line).strip(), one.operations)
            for one in touched(program, best.program)[:_LINES]
        )
    return StaticRole(static.path, static.text, best.value, best.delta, lines, best.note, best.guess)


def is_split(signature: Signature) -> bool:
    """Whether statics lie among the leaves of arguments, as with wrappers that split arrays from the rest."""
    parameters = dict(signature.form.parameters)
    return any(static.path not in parameters for static in signature.statics)


def unvaried(spec: Specialization, others: Sequence[Specialization]) -> list[str]:
    """The statics that no other specialization differs in alone."""
    return [
        static.path
        for static, _ in all_statics(spec.signature)
        if not any(_differs_alone(spec, other, static.path) for other in others)
    ]


def recorded_values(
    spec: Specialization,
    others: Sequence[Specialization],
    path: str,
    program_of: Callable[[Specialization], Program | None],
) -> Iterator[Tried]:
    """What a recording shows of a static's other values: specializations that differ in nothing else."""
    for other in others:
        if not _differs_alone(spec, other, path):
            continue
        delta, note = program_delta(spec.fingerprint, other.fingerprint)
        value = next((static.text for static, _ in all_statics(other.signature) if static.path == path), "")
        yield Tried(value, delta, note, program_of(other), other.error)


def _differs_alone(spec: Specialization, other: Specialization, path: str) -> bool:
    """Whether two specializations differ in this static and nothing else."""
    found = changes(spec, other)
    return bool(found) and all(change.path == path and change.kind.startswith("static") for change in found)
