"""The trial of static arguments, as a task for a process of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from whyjit.model.arguments import KeptCall
from whyjit.model.trial import Point, Request, Sameness, Trial
from whyjit.rewrite.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

_ORDER: tuple[Sameness, ...] = ("not compared", "equal", "constants", "different")


class Task(msgspec.Struct, frozen=True):
    """A function, its recorded calls, and the trials to be made with them.

    Calls with the same mark were given the same static objects, those of the same maker were made with one function
    object. `programs` are the fingerprints of what was recorded, `constants` digests of the arrays closed over.
    """

    subject: Subject
    calls: tuple[KeptCall, ...]
    marks: tuple[str, ...]
    makers: tuple[int, ...]
    programs: tuple[str, ...]
    constants: tuple[str, ...]
    requests: tuple[Request, ...]


NAME = f"{__name__}:run"


def run(payload: bytes) -> bytes:
    """Make the trials of an encoded `Task`; an encoded list of `Trial`, one for each request."""
    from whyjit.jaxlink import surroundings, thawing
    from whyjit.rewrite.loading import CannotLoad, functions_in, loaded
    from whyjit.rewrite.nested import groups_of

    task = msgspec.msgpack.decode(payload, type=Task)
    missing = surroundings.restore(task.subject.context)
    try:
        with loaded(task.subject, calls=task.calls) as module:
            functions = functions_in(module, task.subject, task.calls)
            groups = groups_of(task.makers)
            calls = thawing.thaw_all(task.calls, task.marks)
            found = [_tried(task, request, module, functions, groups, calls) for request in task.requests]
            trials = [msgspec.structs.replace(one, surroundings=(*missing, *one.surroundings)) for one in found]
    except CannotLoad as reason:
        trials = [Trial(failed=str(reason))] * len(task.requests)
    return msgspec.msgpack.encode(trials)


def _tried(
    task: Task,
    request: Request,
    module: Any,
    functions: Sequence[Any],
    groups: Sequence[Sequence[int]],
    calls: Sequence[Any],
) -> Trial:
    """One trial: of each function object by itself, with its own calls, since JAX shares nothing between them."""
    from whyjit.jaxlink.static_trial import try_statics
    from whyjit.rewrite.nested import changed, label
    from whyjit.rewrite.statics import recorded, watching

    began = time.monotonic()
    trials: list[Trial] = []
    several = [functions[group[0]] for group in groups]
    part = msgspec.structs.replace(
        request, runs=max(1, request.runs // len(groups)), seconds=request.seconds / len(groups)
    )
    for function, group in zip(several, groups, strict=True):
        if trials and time.monotonic() - began > request.seconds:
            return Trial(failed=f"the time was up after {len(trials)} of the {len(groups)} functions made (--timeout)")
        own = [calls[at] for at in group]
        wanted = [recorded.Wanted(task.programs[at], task.constants[at]) for at in group]
        effect = watching.effect(module, function, own[0], request.statics)
        if effect:
            return Trial(failed=f"it {effect}, which would be done again, or less often")
        rebound = [functions[at] for at in group if functions[at] is not function]
        told = changed(function, rebound[0]) if rebound else ""
        unlike = recorded.Compared(function, own, request.statics, wanted, told)
        trial = try_statics(function, own, part, unlike)
        if unlike.other:
            trial = msgspec.structs.replace(trial, surroundings=("contents of the arrays that it closes over",))
        trials.append(trial)
    if len(trials) == 1:
        return trials[0]
    return merged(trials, groups, lambda at: label(several, several[at]))


def merged(trials: Sequence[Trial], groups: Sequence[Sequence[int]], label: Callable[[int], str]) -> Trial:
    """The trials of several functions made of one code, as one: what speaks against one of them speaks against all.

    `groups` are the places of their calls; `label` says which function it is, as the end of a sentence.
    """

    def worst(field: str, good: Sequence[Any]) -> Any:
        for at, one in enumerate(trials):
            value = getattr(one, field)
            if value not in good:
                return f"{value}{label(at)}" if isinstance(value, str) and value != "not run" else value
        return max((getattr(one, field) for one in trials), key=list(good).index)

    points: dict[int, Point] = {}
    traced: dict[int, bool] = {}
    for one, group in zip(trials, groups, strict=True):
        points.update(zip(group, one.points, strict=False))
        traced.update(zip(group, one.traced, strict=False))
    return Trial(
        failed=worst("failed", [""]),
        unstable=worst("unstable", [""]),
        effects=worst("effects", [""]),
        surroundings=tuple(dict.fromkeys(name for one in trials for name in one.surroundings)),
        programs=max((one.programs for one in trials), key=_ORDER.index),
        refusal=next((one.refusal for one in trials if one.refusal is not None), None),
        points=tuple(points[at] for at in sorted(points)),
        traces=sum(one.traces for one in trials),
        traced=tuple(traced[at] for at in sorted(traced)),
        fixed_traces=sum(one.fixed_traces for one in trials) if all(one.fixed_traces for one in trials) else 0,
        outputs=worst("outputs", [""]),
        gradients=worst("gradients", ["none", ""]),
        compared=sum(one.compared for one in trials),
        seconds=max((one.seconds for one in trials), key=lambda each: each[1] - each[0]),
        functions=len(trials),
    )
