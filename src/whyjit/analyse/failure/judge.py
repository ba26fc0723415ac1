"""From a scene to an explained failure."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec import structs

from whyjit.analyse.failure import reading, words
from whyjit.analyse.failure.asked import asked_for
from whyjit.analyse.failure.codes import (
    boolean_mask,
    branch_mismatch,
    branch_on_value,
    carry_mismatch,
    concrete_needed,
    in_place,
    loop_on_value,
    non_array_argument,
    numpy_on_tracer,
    shape_from_value,
    tracer_leak,
    unhashable_static,
)
from whyjit.analyse.failure.codes.common import static
from whyjit.analyse.failure.draft import Draft
from whyjit.analyse.failure.leaks import leak_from
from whyjit.analyse.failure.locate import locate
from whyjit.analyse.failure.mismatches import branch_mismatches, carry_mismatches, pair_missing
from whyjit.analyse.failure.nature import nature_of
from whyjit.analyse.failure.recognise import ASK_TRUTH, SHAPED, code_of, fails_anyway, family_of, last_name
from whyjit.analyse.failure.results import keys_of, result, source_at
from whyjit.analyse.failure.rewrite import aliases_of, one_line
from whyjit.analyse.failure.situation import Situation
from whyjit.analyse.failure.statics import told_by
from whyjit.analyse.failure.statics import unhashable_static as find_unhashable
from whyjit.analyse.failure.use import use_of
from whyjit.model.failure import Argument
from whyjit.model.scene import ASKS_TRUTH, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whyjit.analyse.failure.locate import Located
    from whyjit.analyse.failure.recognise import Family
    from whyjit.analyse.failure.use import Use
    from whyjit.model.failure import Failure, Remedy
    from whyjit.model.scene import Leaked, Origin, Point, Scene

_REMEDIES: dict[str, Callable[[Situation], list[Remedy]]] = {
    "branch-on-value": branch_on_value.remedies,
    "loop-on-value": loop_on_value.remedies,
    "concrete-needed": concrete_needed.remedies,
    "numpy-on-tracer": numpy_on_tracer.remedies,
    "boolean-mask": boolean_mask.remedies,
    "shape-from-value": shape_from_value.remedies,
    "in-place": in_place.remedies,
}
# Errors that follow from misuse of a leaked value as well as from ordinary tracing.
_MAY_LEAK = frozenset({"bool", "int", "array", "concrete", "mask", "leak", "shape", "slice", "key"})


def judge(scene: Scene) -> Failure | None:
    """Explain an exception. None where it has nothing to do with tracing."""
    family = family_of(scene.error, scene.message)
    if family is None:
        return None
    point = scene.points[0] if scene.points else None
    located = None if point is None else locate(point, scene.lines(point.file), truth=family == "bool")
    if point is not None and located is not None:
        located = _compared(scene, point, located)
    use = None if located is None else use_of(located)
    draft = Draft(scene, point, located, asked_for(family, use))
    if family in _MAY_LEAK:
        leaked = scene.leaked(0, [] if located is None else [located.node])
        if leaked is not None or family == "leak":
            return _leak(draft, leaked)
    if family == "unhashable":
        return _unhashable(draft)
    if family == "not-array":
        return _not_array(draft)
    if family in ("carry", "branch"):
        return _mismatch(draft, family, use)
    return _value(draft, family, use)


def _compared(scene: Scene, point: Point, located: Located) -> Located:
    """Whether it is the truth of a comparison's answer that was asked, where one instruction compares and asks.

    It failed within where no side is an array: as a comparison of two tuples, which asks for the truth of their parts.
    """
    if point.instructions[0].argument != ASKS_TRUTH or not isinstance(located.node, ast.Compare):
        return located
    sides = [scene.see(0, side) for side in (located.node.left, *located.node.comparators)]
    if all(side is not None and side.kind not in ("traced", "array") for side in sides):
        return located
    return located._replace(truth=True)


def _value(draft: Draft, family: Family, use: Use | None) -> Failure | None:
    scene, located = draft.scene, draft.located
    code = code_of(family, use)
    if code == "concrete-needed" and located is not None and _is_numpy_item(scene, located):
        code = "numpy-on-tracer"
    if family == "array" and located is not None and use is not None and _is_jax_call(located, use):
        code = "shape-from-value" if last_name(use) in SHAPED else "concrete-needed"
    nodes = [] if located is None else _asked_nodes(scene, located, family)
    # JAX makes the error about a mask with the indexed array or its type, not with the mask.
    origin = None if family == "mask" else scene.error_origin()
    if origin is None and nodes:
        origin = scene.origin(0, nodes) or scene.origin(0, _iterated(located, nodes))
    if origin is not None and located is not None and use is not None:
        origin = _whole(scene, located, family, use, origin)
    note = fails_anyway(scene.message)
    if note and origin is None:
        return None  # NumPy, and JAX, say the same of arrays that are not traced
    if note and use is not None and use.kind == "call" and _given_by_python(origin):
        note = ""  # a Python number would have done
    if located is not None:
        origin = _completed(scene, located, nodes or [located.node], origin)
    sized = shape_from_value.sized_by_data(last_name(use), family)
    nature, evidence = nature_of(code, family, use, origin, sized_by_data=sized)
    if family == "in-place":
        nature, evidence = "unknown", ""  # what matters is that it is an array, not where it came from
    remedies: list[Remedy] = []
    within = scene.raised_in is not None and origin is not None and _calls(scene, located, origin.called)
    if located is not None and use is not None:
        names = aliases_of(located.ancestors[0] if located.ancestors else located.node)
        value = scene.error_value()
        situation = Situation(code, family, scene, located, use, names, origin, value, nature, evidence)
        remedies = static(situation) if within else _REMEDIES[code](situation)
    asked = asked_for(family, use, code)
    subject = one_line(use.owner.subject, draft.lines) if use is not None and isinstance(use.owner, ast.Match) else ""
    draft = draft._replace(
        asked=asked, within=within, direct=family == "bool" and located is not None and located.truth
    )
    notes = (note,) if note else ()
    return draft.finish(
        code, origin=origin, nature=nature, evidence=evidence, remedies=remedies, subject=subject, notes=notes
    )


def _calls(scene: Scene, located: Located | None, called: str) -> bool:
    """Whether the expression is the call of the outermost jitted function: what it is given is traced in there only."""
    call = located.node if located is not None else None
    callee = scene.callee(0, call.func) if isinstance(call, ast.Call) else None
    return callee is not None and callee.name.rpartition(".")[2] == called.rpartition(".")[2]


def _is_jax_call(located: Located, use: Use) -> bool:
    """Whether a function of JAX's asked NumPy, and not the user."""
    names = aliases_of(located.ancestors[0]) if located.ancestors else None
    if names is None or use.kind != "call":
        return False
    return use.callee.split(".")[0] in {names.jnp.split(".")[0], names.jax, names.lax.split(".")[0]}


def _is_numpy_item(scene: Scene, located: Located) -> bool:
    """Whether the expression is an item of a NumPy array: `buffer[0] = x`."""
    if not isinstance(located.node, ast.Subscript):
        return False
    seen = scene.see(0, located.node.value)
    return seen is not None and seen.type_name == "ndarray"


def _asked_nodes(scene: Scene, located: Located, family: Family) -> list[ast.expr]:
    """The parts of the failing expression that the error is about."""
    node = located.node
    if family == "in-place" and isinstance(node, ast.Subscript):
        return [node.value]
    if family in ("slice", "mask", "key") and isinstance(node, ast.Subscript):
        if family == "slice":
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return [part for part in parts if isinstance(part, ast.Slice)] or [node.slice]
        return [node.slice]
    if family == "slice":  # x.at[:n].set(value)
        bounds = (part for part in ast.walk(node) if isinstance(part, ast.Slice) and _traced(scene, part))
        return [next(bounds, node)]
    if family == "mask":
        item = next((part for part in ast.walk(node) if isinstance(part, ast.Subscript)), None)
        return [item.slice] if item is not None else [node]
    if family == "key" and isinstance(node, ast.Compare):
        return [node.left]
    match = next((part for part in reversed(located.ancestors) if isinstance(part, (ast.Match, ast.stmt))), None)
    if isinstance(match, ast.Match) and family == "bool":
        return [match.subject]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and family == "int":  # `[x] * n`
        return [part for part in (node.left, node.right) if not isinstance(part, (ast.List, ast.Tuple))] or [node]
    if isinstance(node, ast.Call) and (family in ("shape", "int") or last_name(use_of(located)) in SHAPED):
        sizes = [part for one in (*node.args, *(k.value for k in node.keywords)) for part in _integers(scene, one)]
        return sizes or [node]
    return [node]


def _iterated(located: Located | None, nodes: Sequence[ast.expr]) -> list[ast.expr]:
    """What the comprehensions around an expression iterate over, where their variables are gone already."""
    used = {name.id for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name)}
    generators = [
        generator
        for part in (located.ancestors if located is not None else ())
        if isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
        for generator in part.generators
    ]
    return [one.iter for one in generators if used & {n.id for n in ast.walk(one.target) if isinstance(n, ast.Name)}]


def _given_by_python(origin: Origin | None) -> bool:
    given = [one.given for one in origin.arguments] if origin is not None else []
    return bool(given) and all(one is not None and one.holder == "python" for one in given)


def _whole(scene: Scene, located: Located, family: Family, use: Use, origin: Origin) -> Origin:
    """With all arguments that an expression needs the values of: JAX tells of the first that could not be had."""
    node = located.node
    numpy = family == "array" and isinstance(node, (ast.Call, ast.Subscript)) and not _is_jax_call(located, use)
    python = family == "bool" and (use.callee in ASK_TRUTH or isinstance(node, ast.Compare))
    if not (numpy or python) or located.truth or not origin.exact:
        return origin
    found = scene.origin(0, [node.slice if isinstance(node, ast.Subscript) else node])
    if found is None or not found.exact or found.called != origin.called:
        return origin
    known = {one.path for one in found.arguments}
    extra = [one for one in origin.arguments if one.path not in known]
    return structs.replace(origin, arguments=(*found.arguments, *extra))


def _traced(scene: Scene, node: ast.expr) -> bool:
    return bool(scene.traced_parts(0, node))


def _integers(scene: Scene, node: ast.expr) -> list[ast.expr]:
    """The traced whole numbers in an expression: only they can be sizes."""
    parts = [
        (part, seen)
        for part, seen in scene.traced_parts(0, node)
        if seen.kind != "traced" or seen.dtype.lstrip("u").startswith("int")
    ]
    single = [part for part, seen in parts if seen.kind != "traced" or seen.scalar]
    return single or [part for part, seen in parts if seen.shape is not None and len(seen.shape) == 1]


def _completed(scene: Scene, located: Located, nodes: Sequence[ast.expr], origin: Origin | None) -> Origin | None:
    """Fill in arguments by reading the source, where no operations were kept."""
    if origin is None or origin.exact:
        return origin
    read = reading.read_arguments(scene, located, nodes)
    if read is None or (origin.arguments and read.function.endswith(origin.called)):
        return origin
    note = "the arguments were found by reading the source: outside jit JAX keeps no record of operations"
    return structs.replace(
        origin,
        arguments=read.arguments,
        called=read.function,
        notes=(*origin.notes, note),
    )


def _leak(draft: Draft, leaked: Leaked | None) -> Failure:
    if leaked is None:
        note = "the leaked value could not be found in the failing expression, so where it was stored is not known"
        return draft.finish("tracer-leak", notes=(note,))
    leak = leak_from(draft.scene, leaked)
    notes = (
        () if leak.store is not None else ("the statement that stored the value was not found in the traced function",)
    )
    subject = f"`{leaked.read}` is" if leaked.read else ""
    if leaked.reader:
        subject = f"`{leaked.read}`, which `{leaked.reader}` uses, holds"
    return draft.finish("tracer-leak", leak=leak, notes=notes, remedies=tracer_leak.remedies(leak), subject=subject)


def _made_static(draft: Draft, node: ast.expr | None) -> list[Remedy]:
    """What makes a traced value that is passed for a static argument a value of Python's."""
    located = draft.located
    if located is None or node is None or not located.ancestors:
        return []
    origin = draft.scene.origin(0, [node])
    names = aliases_of(located.ancestors[0])
    use = use_of(located)
    return static(
        Situation("unhashable-static", "unhashable", draft.scene, located, use, names, origin, None, "unknown", "")
    )


def _unhashable(draft: Draft) -> Failure:
    found = find_unhashable(draft.scene, draft.located)
    if found is None:
        told = told_by(draft.scene.message)
        kind = told.type_name or told.part_type or "unknown type"
        note = f"which parameter the value of type {kind} was passed for could not be read from the call"
        return draft.finish("unhashable-static", notes=(note,))
    kind = found.part_type or found.type_name
    data = unhashable_static.is_array(kind)
    evidence = f"{found.parameter}{found.part} is {words.a_type(kind)}"
    evidence += ": numbers, not a choice of program" if data else ", declared static"
    remedies = unhashable_static.remedies(found, draft.lines)
    if unhashable_static.is_tracer(kind):
        if draft.located is not None and _is_jax_call(draft.located, use_of(draft.located)):
            remedies = [one for one in remedies if one.name != "ordinary argument"]  # JAX's own cannot be changed
        remedies = [*_made_static(draft, found.node), *remedies]
    return draft.finish(
        "unhashable-static",
        arguments=(Argument(found.parameter),),
        called=found.function,
        nature="data" if data else "configuration",
        evidence=evidence,
        remedies=remedies,
        detail=(found.parameter, found.part, found.type_name, kind),
    )


def _returned(draft: Draft, found: non_array_argument.Returned) -> Failure:
    """A jitted function returned something that is no array."""
    source = source_at(draft.scene, Place(found.function, found.file, found.line))
    made = None if source is None or found.path is None else result(source, keys_of(found.path))
    text = "it" if made is None else made.step().source
    leaf = f"the result{' at ' + found.path if found.path else ''}"
    evidence = f"{leaf} of {found.function} is {words.a_type(found.type_name)}"
    evidence += "" if made is None else f": `{text}` in line {made.node.lineno}"
    return draft.finish(
        "non-array-argument",
        called=found.function,
        function=found.function,
        nature="configuration",
        evidence=evidence,
        remedies=non_array_argument.returned_remedies(found.function, text),
        subject=evidence,
    )


def _not_array(draft: Draft) -> Failure | None:
    returned = non_array_argument.returned_by(draft.scene.message)
    if returned is not None:
        return _returned(draft, returned)
    found = draft.scene.not_arrays() or non_array_argument.told_by(draft.scene.message)
    if found is None and draft.scene.message.startswith("Argument '"):
        return None  # an operation was given it, and not a function of the user's that JAX transforms
    if found is None:
        return draft.finish("non-array-argument", notes=("which argument it was could not be read from the call",))
    paths = ", ".join(f"{path} ({kind})" for path, kind in found.leaves)
    return draft.finish(
        "non-array-argument",
        arguments=tuple(Argument(path, kind) for path, kind in found.leaves),
        called=found.function,
        function=found.function,
        nature="configuration",
        evidence=f"{paths}: not made of numbers",
        remedies=non_array_argument.remedies(found, draft.located),
    )


def _mismatch(draft: Draft, family: Family, use: Use | None) -> Failure:
    if family == "carry":
        made = pair_missing(draft.scene, draft.located, use)
        if made is not None:
            remedies = carry_mismatch.pair_remedies(made)
            evidence = f"`scan` takes two results from its body, the carry and an output; {made} is returned"
            return draft.finish("carry-mismatch", remedies=remedies, nature="data", evidence=evidence, subject=evidence)
        mismatches = carry_mismatches(draft.scene, draft.located, use)
        remedies = carry_mismatch.remedies(mismatches)
    else:
        mismatches = branch_mismatches(draft.scene, draft.located, use)
        remedies = branch_mismatch.remedies(mismatches)
    code = "carry-mismatch" if family == "carry" else "branch-mismatch"
    evidence = "it is computed, and its type must be one type"
    notes = () if mismatches else ("JAX's message did not say which leaf differs",)
    return draft.finish(code, mismatches=mismatches, remedies=remedies, nature="data", evidence=evidence, notes=notes)
