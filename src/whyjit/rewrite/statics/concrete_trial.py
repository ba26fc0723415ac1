"""The trial of making arguments static, as a task for a process of its own."""

from __future__ import annotations

import msgspec

from whyjit.model.arguments import KeptCall
from whyjit.model.concrete import ConcreteTrial
from whyjit.rewrite.subject import Subject


class Task(msgspec.Struct, frozen=True):
    """A function, its recorded calls, its static names, and those that are to become static."""

    subject: Subject
    calls: tuple[KeptCall, ...]
    statics: tuple[str, ...]
    names: tuple[str, ...]


NAME = f"{__name__}:run"


def run(payload: bytes) -> bytes:
    """Make the trial of an encoded `Task`; an encoded `ConcreteTrial`."""
    from whyjit.jaxlink import surroundings, thawing
    from whyjit.jaxlink.concrete_trial import try_concrete
    from whyjit.rewrite.loading import CannotLoad, function_in, loaded

    task = msgspec.msgpack.decode(payload, type=Task)
    surroundings.restore(task.subject.context)
    try:
        with loaded(task.subject, calls=task.calls) as module:
            function = function_in(module, task.subject)
            calls = thawing.thaw_all(task.calls, [""] * len(task.calls))
            trial = try_concrete(function, calls, task.statics, task.names)
    except CannotLoad as reason:
        trial = ConcreteTrial(failed=str(reason))
    return msgspec.msgpack.encode(trial)
