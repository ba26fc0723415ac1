"""The trial of making arguments static, as a task for a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from whyjit.model.arguments import KeptCall
from whyjit.model.concrete import ConcreteTrial
from whyjit.rewrite.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable


class Task(msgspec.Struct, frozen=True):
    """A function, its recorded calls, its static names, and those that are to become static.

    Calls of the same maker were made with one function object.
    """

    subject: Subject
    calls: tuple[KeptCall, ...]
    makers: tuple[int, ...]
    statics: tuple[str, ...]
    names: tuple[str, ...]


NAME = f"{__name__}:run"


def run(payload: bytes) -> bytes:
    """Make the trial of an encoded `Task`; an encoded `ConcreteTrial`."""
    from whyjit.jaxlink import surroundings, thawing
    from whyjit.jaxlink.concrete_trial import try_concrete
    from whyjit.rewrite.loading import CannotLoad, functions_in, loaded
    from whyjit.rewrite.nested import first_of_each, groups_of, label

    task = msgspec.msgpack.decode(payload, type=Task)
    surroundings.restore(task.subject.context)
    try:
        with loaded(task.subject, calls=task.calls) as module:
            functions = functions_in(module, task.subject, task.calls)
            calls = thawing.thaw_all(task.calls, [""] * len(task.calls))
            groups = groups_of(task.makers)
            several = first_of_each(functions, groups)
            trials = [
                try_concrete(function, [calls[at] for at in group], task.statics, task.names)
                for function, group in zip(several, groups, strict=True)
            ]
            trial = merged(trials, lambda at: label(several, several[at]))
    except CannotLoad as reason:
        trial = ConcreteTrial(failed=str(reason))
    return msgspec.msgpack.encode(trial)


def merged(trials: Sequence[ConcreteTrial], label: Callable[[int], str]) -> ConcreteTrial:
    """The trials of several functions made of one code, as one: what speaks against one of them speaks against all."""
    for at, one in enumerate(trials):
        if one.failed or one.unhashable:
            return msgspec.structs.replace(one, failed=f"{one.failed}{label(at)}" if one.failed else "")
    outputs = [f"{one.outputs}{label(at)}" for at, one in enumerate(trials) if one.outputs]
    gradients = [one.gradients for one in trials]
    lost = [f"{text}{label(at)}" for at, text in enumerate(gradients) if text not in {"", "none"}]
    return ConcreteTrial(
        values=tuple(dict.fromkeys(value for one in trials for value in one.values)),
        outputs=outputs[0] if outputs else "",
        gradients=lost[0] if lost else "" if "" in gradients else "none",
        traces=sum(one.traces for one in trials),
        seconds=sum(one.seconds for one in trials),
        compared=sum(one.compared for one in trials),
    )
