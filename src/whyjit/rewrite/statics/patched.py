"""The patched file itself, loaded and called in a process of its own: how often its function is traced then."""

from __future__ import annotations

import types
from typing import Any

import msgspec

from whyjit.model.arguments import KeptCall
from whyjit.rewrite import nested
from whyjit.rewrite.subject import Subject


class Task(msgspec.Struct, frozen=True):
    """The patched text of a subject's file, and the recorded calls with the marks of their static objects.

    Calls of the same maker were made with one function object.
    """

    subject: Subject
    source: str
    calls: tuple[KeptCall, ...]
    marks: tuple[str, ...]
    makers: tuple[int, ...]


class Found(msgspec.Struct, frozen=True):
    """The traces of all calls; None where no jit of the function is made when the file is loaded."""

    traces: int | None = None
    fault: str = ""


NAME = f"{__name__}:run"


def run(payload: bytes) -> bytes:
    """Make the calls of an encoded `Task`; an encoded `Found`."""
    from whyjit.jaxlink import surroundings, thawing
    from whyjit.rewrite.loading import CannotLoad, functions_in, loaded
    from whyjit.rewrite.nested import groups_of

    task = msgspec.msgpack.decode(payload, type=Task)
    surroundings.restore(task.subject.context)
    try:
        with loaded(task.subject, task.source, task.calls) as module:
            functions = functions_in(module, task.subject, task.calls, moved=True)
            code = nested.plain(functions[0]).__code__
            made: dict[int, Any] = {}
            for group in groups_of(task.makers):
                carried = task.calls[group[0]].carried is not None
                function = functions[group[0]]
                jitted = nested.decorated(module, function) if carried else _jitted(module, task.subject, code)
                made.update(dict.fromkeys(group, jitted))
            calls = thawing.thaw_all(task.calls, task.marks)
            jits = [made[at] for at in range(len(calls))]
            found = Found() if None in jits else _called(jits, code, calls)
    except CannotLoad as reason:
        found = Found(fault=str(reason))
    return msgspec.msgpack.encode(found)


def _called(jits: list[Any], code: types.CodeType, calls: list[Any]) -> Found:
    from whyjit.observe.observer import Observer

    observer = Observer(None, calls=False)
    observer.start()
    try:
        for jitted, (args, kwargs) in zip(jits, calls, strict=True):
            jitted(*args, **kwargs)
    except Exception as raised:  # noqa: BLE001 - whatever the patched program raises
        return Found(fault=f"{type(raised).__name__}: {' '.join(str(raised).split())[:200]}")
    finally:
        observer.stop()
    recording = observer.snapshot()
    ours = {
        one.id
        for one in recording.functions
        if (one.file, one.line, one.name) == (code.co_filename, code.co_firstlineno, code.co_name)
    }
    stages = [stage for spec in recording.specializations if spec.function in ours for stage in spec.stages]
    return Found(sum(stage.kind == "trace" for stage in stages))


def _jitted(module: types.ModuleType, subject: Subject, code: types.CodeType) -> Any:
    """The jitted function that the file makes: under the function's own name, else under another one."""
    from whyjit.jaxlink import jits

    own: Any = module
    for part in subject.qualname.split("."):
        own = getattr(own, part, None)
    for candidate in (own, *vars(module).values()):
        if (
            jits.info_of(candidate) is not None
            and getattr(nested.plain(jits.function_of(candidate)), "__code__", None) is code
        ):
            return candidate
    return None
