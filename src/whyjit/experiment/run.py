"""Running an experiment: every task in a process of its own, a few at a time, each with a limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from typing import Any, NamedTuple, TypeVar

import msgspec

from whyjit.errors import WhyjitError
from whyjit.experiment import plan as planning
from whyjit.experiment.apart import Outcome, run_apart
from whyjit.experiment.jobs import Answered, ArmJob, Job, Refused, SizesJob
from whyjit.experiment.verdicts import verdicts
from whyjit.model.probe import Arm, ArmError, Described, Factor, Probe, Result, Sizes, SizesPlan, axes_text

AT_ONCE = 2
TIMEOUT_S = 60.0
_SAID = 200
# Programs under experiment are compiled for real: what an earlier run left on disk must not answer for them.
# A program that starts an experiment when it is imported is told so by the other variable.
INSIDE = "WHYJIT_EXPERIMENT"
_ENV = {"JAX_ENABLE_COMPILATION_CACHE": "false", INSIDE: "1"}
Kind = TypeVar("Kind")


class Limits(NamedTuple):
    """Limits of each task: seconds, and megabytes of memory."""

    timeout_s: float = TIMEOUT_S
    memory_mb: int | None = None


class Given(NamedTuple):
    """What a task came back with: its content, or the line on why there is none."""

    content: bytes
    failure: str
    seconds: float


def perform(task: str, payload: bytes, timeout_s: float, memory_mb: int | None) -> Given:
    """One task in a process of its own. It can be sent to another machine: all it takes and gives is plain data.

    Raises:
      WhyjitError: the job itself is wrong; the message says what.
    """
    outcome = run_apart(
        f"whyjit.experiment.{'role_tasks' if task == 'roles' else 'tasks'}:{task}",
        payload,
        timeout_s=timeout_s,
        memory_mb=memory_mb,
        env=_ENV,
    )
    if outcome.result is None:
        return Given(b"", _failure(outcome), outcome.seconds)
    answer = msgspec.msgpack.decode(outcome.result, type=Answered | Refused)
    if isinstance(answer, Refused):
        raise WhyjitError(answer.message)
    return Given(bytes(answer.content), "", outcome.seconds)


def _failure(outcome: Outcome) -> str:
    """Why there is no result; where the process was ended by itself or from outside, with the last thing it said."""
    failure = outcome.failure or "no result"
    said = outcome.stderr.strip().splitlines()
    if said and failure.startswith(("killed", "ended")):
        return f"{failure}; it said: {said[-1].strip()[:_SAID]}"
    return failure


def one(task: str, job: Any, kind: type[Kind], limits: Limits) -> Kind:
    """The answer of a single task, without which there is no experiment.

    Raises:
      WhyjitError: there is none; the message says why.
    """
    given = perform(task, msgspec.msgpack.encode(job), *limits)
    if given.failure:
        raise WhyjitError(f"the function and its call cannot be read in a process of their own: {given.failure}")
    return msgspec.msgpack.decode(given.content, type=kind)


def probe(
    job: Job,
    *,
    only: tuple[str, ...] = (),
    most: int = planning.MOST,
    limits: Limits | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Probe:
    """Describe the call, plan, run every arm, and judge.

    Arguments:
      job: the function and its call.
      only: kinds of factors to keep; none means all.
      most: how many arms there may be.
      limits: of each arm.
      executor: what runs the arms; otherwise two at a time here.
      progress: is told how many tasks are done, of how many.
    """
    began = time.monotonic()
    limits = limits or Limits()
    described = one("describe", job, Described, limits)
    planned = planning.plan(described, only=only, most=most)
    tasks: list[tuple[str, Any]] = [("arm", ArmJob(job, arm.move)) for arm in planned.arms]
    tasks += [("sizes", SizesJob(job, axes)) for axes in planned.sizes]
    answers: list[Given | None] = [None] * len(tasks)
    progress = progress or (lambda _done, _all: None)
    progress(0, len(tasks))
    done = 0
    for wave in (range(1), _after(planned, answers)):
        for at, given in _run({at: tasks[at] for at in wave}, limits, executor):
            answers[at] = given
            done += 1
            progress(done, len(tasks))
    count = len(planned.arms)
    results = tuple(
        _result(arm, given) for arm, given in zip(planned.arms, answers[:count], strict=True) if given is not None
    )
    sizes = tuple(
        _sizes(axes, given) for axes, given in zip(planned.sizes, answers[count:], strict=True) if given is not None
    )
    missing = sum(given is None for given in answers)
    return Probe(
        described.function,
        described.file,
        described.line,
        described.kind,
        tuple((parameter.name, _given(parameter.form, parameter.text)) for parameter in described.parameters),
        results,
        verdicts(results),
        sizes,
        (*planned.left_out, *([f"{missing} more, since the call itself fails"] if missing else [])),
        described.made_static,
        time.monotonic() - began,
    )


def _given(form: str, text: str) -> str:
    return f"{text} (left out)" if form == "default" else text


# What may mend a call that fails: another value or another form, but no other size or type.
_MENDING = ("static", "given", "structure", "call_form")


def _after(planned: planning.Plan, answers: list[Given | None]) -> Iterator[int]:
    """The places of the tasks to run after the control, once its answer is there."""
    control = answers[0]
    failed = control is not None and _result(planned.arms[0], control).error is not None
    for at, arm in enumerate(planned.arms[1:], 1):
        if not failed or arm.factor.kind in _MENDING:
            yield at
    if not failed:
        yield from range(len(planned.arms), len(answers))


def _run(
    tasks: Mapping[int, tuple[str, Any]], limits: Limits, executor: Executor | None
) -> Iterator[tuple[int, Given]]:
    """The answers as they come, with their places."""
    with ThreadPoolExecutor(AT_ONCE) if executor is None else nullcontext(executor) as pool:
        places: dict[Future[Given], int] = {}
        try:
            for at, (task, job) in tasks.items():
                places[pool.submit(perform, task, msgspec.msgpack.encode(job), *limits)] = at
            for future in as_completed(places):
                yield places[future], _outcome(future)
        finally:
            for future in places:
                future.cancel()


def _outcome(future: Future[Given]) -> Given:
    try:
        return future.result()
    except WhyjitError as fault:
        return Given(b"", fault.message, 0.0)
    except Exception as raised:  # noqa: BLE001 - a pool may lose a task in its own way; that is a row, too
        return Given(b"", f"{type(raised).__name__}: {raised}", 0.0)


def _result(arm: Arm, given: Given | None) -> Result:
    if given is None or given.failure:
        text = "not run" if given is None else given.failure
        seconds = 0.0 if given is None else given.seconds
        return Result(arm.factor, None, error=ArmError("", text), seconds=seconds)
    return msgspec.structs.replace(msgspec.msgpack.decode(given.content, type=Result), factor=arm.factor)


def _sizes(axes: SizesPlan, given: Given | None) -> Sizes:
    if given is None or given.failure:
        text = "not run" if given is None else given.failure
        return Sizes(axes_text(axes.axes), axes.base, axes.sizes, (), (), ((axes.base, text),))
    return msgspec.msgpack.decode(given.content, type=Sizes)


__all__ = ["Factor", "Limits", "one", "perform", "probe"]
