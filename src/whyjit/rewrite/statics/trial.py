"""The trial of static arguments, as a task for a process of its own."""

from __future__ import annotations

import msgspec

from whyjit.model.arguments import KeptCall
from whyjit.model.trial import Request, Trial
from whyjit.rewrite.subject import Subject


class Task(msgspec.Struct, frozen=True):
    """A function, its recorded calls, and the trials to be made with them.

    Calls with the same mark were given the same static objects. `programs` are the fingerprints of what was recorded.
    """

    subject: Subject
    calls: tuple[KeptCall, ...]
    marks: tuple[str, ...]
    programs: tuple[str, ...]
    requests: tuple[Request, ...]


NAME = f"{__name__}:run"


def run(payload: bytes) -> bytes:
    """Make the trials of an encoded `Task`; an encoded list of `Trial`, one for each request."""
    from whyjit.jaxlink import surroundings, thawing
    from whyjit.jaxlink.static_trial import try_statics
    from whyjit.rewrite.loading import CannotLoad, function_in, loaded
    from whyjit.rewrite.statics import recorded

    task = msgspec.msgpack.decode(payload, type=Task)
    missing = surroundings.restore(task.subject.context)
    try:
        with loaded(task.subject, calls=task.calls) as module:
            function = function_in(module, task.subject)
            calls = thawing.thaw_all(task.calls, task.marks)
            trials = []
            for request in task.requests:
                unlike = recorded.difference(function, calls, request.statics, task.programs)
                trial = try_statics(function, calls, request, unlike)
                trials.append(msgspec.structs.replace(trial, surroundings=missing))
    except CannotLoad as reason:
        trials = [Trial(failed=str(reason))] * len(task.requests)
    return msgspec.msgpack.encode(trials)
