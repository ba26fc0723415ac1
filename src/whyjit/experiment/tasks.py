"""In the process of an experiment: the tasks, each from bytes to bytes. `apart.run_apart` calls them by name."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from whyjit.analyse.delta import program_delta
from whyjit.analyse.touched import added_removed, equations
from whyjit.errors import WhyjitError
from whyjit.experiment.describe import describe as described
from whyjit.experiment.jobs import Answered, ArmJob, Job, Refused, SizesJob
from whyjit.experiment.moves import changed, resized
from whyjit.experiment.opened import Opened, open_call
from whyjit.experiment.watching import Watch, Work, error_of
from whyjit.jaxlink import abstract, stages
from whyjit.jaxlink.missing import Missing
from whyjit.model.probe import ArmError, Factor, NewValues, Result, Sizes, Under, axes_text
from whyjit.model.program import Fingerprint, Literal, Program
from whyjit.model.recording import Specialization

_UNKNOWN = Factor("", None, "", "")


def answer(work: Callable[[], Any]) -> bytes:
    """The bytes of a task's answer, or of what is wrong with the task."""
    try:
        content = msgspec.Raw(msgspec.msgpack.encode(work()))
    except WhyjitError as fault:
        return msgspec.msgpack.encode(Refused(fault.message))
    return msgspec.msgpack.encode(Answered(content))


def describe(payload: bytes) -> bytes:
    """A `Job`'s call, described: a `Described`."""
    job = msgspec.msgpack.decode(payload, type=Job)
    return answer(lambda: described(open_call(job), job))


def arm(payload: bytes) -> bytes:
    """An `ArmJob`: the call, then the changed call, in this one process. A `Result` without its factor."""
    task = msgspec.msgpack.decode(payload, type=ArmJob)
    return answer(lambda: _arm(task))


def _arm(task: ArmJob) -> Result:
    opened = open_call(task.job)
    other = changed(opened, task.move)
    first, second = _prepared(opened, task, 0), _prepared(other, task, 1)
    stages.forget()
    with Watch(opened) as watch:
        base_error = attempt(opened.staged, first.args, first.kwargs, compiled=task.job.compile)
        base = watch.work()
        began = time.perf_counter()
        if isinstance(task.move, Under):
            error = _transformed(task, second)
        else:
            error = attempt(other.staged, second.args, second.kwargs, compiled=task.job.compile)
        seconds = time.perf_counter() - began
        new = watch.work()
    return _result(watch, base, new, task, base_error, error, seconds)


def _prepared(opened: Opened, task: ArmJob, fill: float) -> Opened:
    """The call as it is staged: abstract, unless values matter or a wrapper looks at them."""
    if opened.kind == "wrapped":
        return opened.mapped(lambda _, leaf: abstract.concrete(leaf, fill))
    if isinstance(task.move, NewValues):
        return opened.mapped(lambda _, leaf: abstract.filled(leaf, fill))
    return opened


def attempt(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, compiled: bool) -> ArmError | None:
    """Stage a call. The answer says why it failed, if it did."""
    try:
        stages.stage(function, args, kwargs, compile=compiled)
    except (Exception, SystemExit) as raised:  # noqa: BLE001 - that a call fails is a result
        return error_of(raised)
    return None


def _transformed(task: ArmJob, opened: Opened) -> ArmError | None:
    under = stages.under_vmap if task.move == Under("vmap") else stages.under_grad
    outer, leaves = under(opened.staged, opened.args, opened.kwargs)
    return attempt(outer, leaves, {}, compiled=task.job.compile)


def _result(
    watch: Watch,
    base: Work,
    new: Work,
    task: ArmJob,
    base_error: ArmError | None,
    error: ArmError | None,
    seconds: float,
) -> Result:
    # Under a transformation it is the program around the function that is compiled.
    told = task.job.compile and error is None and not isinstance(task.move, Under)
    compiled = new.compiled if told else None
    result = Result(_UNKNOWN, new.traced, compiled, error=error, seconds=seconds)
    if error is not None:
        return result
    if base_error is not None or base.specialization is None:
        return msgspec.structs.replace(result, note="the call itself fails, so there is nothing to compare with")
    under = isinstance(task.move, Under)
    if not new.traced:
        count = _count(base.specialization.fingerprint)
        same = {} if under else {"delta": "identical", "equations": count, "added": 0, "removed": 0}
        return msgspec.structs.replace(result, **same)
    spec = new.specialization
    delta, note = program_delta(base.specialization.fingerprint, None if spec is None else spec.fingerprint)
    old, now = watch.program(base.specialization), watch.program(spec)
    added, removed = (None, None) if old is None or now is None else added_removed(old, now)
    count = None if spec is None else _count(spec.fingerprint)
    return msgspec.structs.replace(result, delta=delta, note=note, equations=count, added=added, removed=removed)


def _count(fingerprint: Fingerprint | None) -> int | None:
    return None if fingerprint is None else fingerprint.equations


def sizes(payload: bytes) -> bytes:
    """A `SizesJob`: the call traced at each size, and exported with a symbolic one. A `Sizes`."""
    task = msgspec.msgpack.decode(payload, type=SizesJob)
    return answer(lambda: _sizes(task))


def _sizes(task: SizesJob) -> Sizes:
    opened, plan = open_call(task.job), task.plan
    stages.forget()
    traced: dict[int, Specialization | None] = {}
    failed: list[tuple[int, str]] = []
    with Watch(opened) as watch:
        for size in plan.sizes:
            call = resized(opened, plan.axes, size)
            if opened.kind == "wrapped":
                call = call.mapped(lambda _, leaf: abstract.concrete(leaf))
            error = attempt(call.staged, call.args, call.kwargs, compiled=False)
            spec = watch.work().specialization
            if error is None:
                traced[size] = spec
            else:
                failed.append((size, error.text))
    base = traced.get(plan.base)
    deltas = {size: program_delta(_fingerprint(base), _fingerprint(spec))[0] for size, spec in traced.items()}
    same = tuple(size for size, delta in deltas.items() if delta in ("identical", "literals", "shapes"))
    different = tuple(size for size, delta in deltas.items() if delta in ("dtypes", "structure"))
    literals = {_literals(watch.program(traced[size])) for size in same}
    note = "literals in the program change with it" if len(literals) > 1 else ""
    path = axes_text(plan.axes)
    return Sizes(path, plan.base, plan.sizes, same, different, tuple(failed), _exported(opened, task), note)


def _fingerprint(spec: Specialization | None) -> Fingerprint | None:
    return None if spec is None else spec.fingerprint


def _literals(program: Program | None) -> tuple[str, ...]:
    found = () if program is None else equations(program)
    return tuple(operand.value for one in found for operand in one.inputs if isinstance(operand, Literal))


def _exported(opened: Opened, task: SizesJob) -> str:
    """See `Sizes.export`."""

    def sized(symbol: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        call = resized(opened, task.plan.axes, symbol)
        return call.args, call.kwargs

    missing = stages.exports(opened.staged, sized)
    return missing.reason if isinstance(missing, Missing) else ""
