"""In the process of an experiment: the roles of a function's inputs, by staging it with other values of its statics."""

from __future__ import annotations

import linecache
from typing import Any

import msgspec

from whyjit.analyse import roles as reading
from whyjit.analyse.delta import program_delta
from whyjit.analyse.uses import used_inputs
from whyjit.experiment.describe import describe
from whyjit.experiment.jobs import Job
from whyjit.experiment.moves import changed
from whyjit.experiment.opened import Opened, open_call
from whyjit.experiment.tasks import answer, attempt
from whyjit.experiment.watching import Watch
from whyjit.jaxlink import abstract, stages
from whyjit.jaxlink.programs import Capturer, Tokens
from whyjit.model.probe import ArmError, Described, Other
from whyjit.model.program import Program
from whyjit.model.recording import Specialization
from whyjit.model.roles import Roles
from whyjit.observe.programs import Builder

_VALUES = 4


def roles(payload: bytes) -> bytes:
    """A `Job`'s call: the roles of its inputs, a `Roles`."""
    job = msgspec.msgpack.decode(payload, type=Job)
    return answer(lambda: _roles(job))


def _roles(job: Job) -> Roles:
    opened = open_call(job)
    described = describe(opened, job)
    stages.forget()
    tried: list[tuple[str, Other, Specialization | None, ArmError | None]] = []
    with Watch(opened) as watch:
        error = _stage(opened)
        spec = watch.work().specialization
        for parameter in described.parameters if error is None else ():
            for other in parameter.others[:_VALUES] if parameter.static else ():
                failed = _stage(changed(opened, other.move))
                tried.append((parameter.name, other, watch.work().specialization, failed))
    program = watch.program(spec) if error is None else None

    def found(name: str) -> list[reading.Tried]:
        values: list[reading.Tried] = []
        for own, other, new, failed in tried:
            if own != name:
                continue
            delta, note = program_delta(spec.fingerprint if spec else None, new.fingerprint if new else None)
            if failed is not None:
                delta, note = None, ""
            values.append(
                reading.Tried(
                    other.text, delta, note, watch.program(new), failed.message if failed else "", other.guess
                )
            )
        return values

    signature = described.signature
    message = "" if error is None else error.message
    return Roles(
        described.function,
        described.file,
        described.line,
        "staged",
        reading.runtime_values(
            signature,
            program,
            None if error is None else error.failure,
            message,
            uses=_uses(opened, program) if error is None else None,
        ),
        reading.metadata(signature),
        tuple(
            reading.static_role(static, found(static.path), program, linecache.getline)
            for static, _ in reading.all_statics(signature)
        )
        + tuple(_left_out(described, found, program)),
        () if spec is None else spec.constants,
        message,
        _notes(described),
    )


def _uses(opened: Opened, program: Program | None) -> dict[str, bool] | None:
    """Which leaves the program uses, where a wrapper has rearranged them: read from a program of the leaves alone."""
    if opened.kind != "wrapped" or program is None:
        return None
    names = [
        path
        for one in opened.given()
        for path, leaf in abstract.paths_and_leaves(one.value, one.name)
        if abstract.is_abstract(leaf)
    ]
    try:
        closed = stages.inputs_of(opened.staged, opened.args, opened.kwargs)
    except Exception:  # noqa: BLE001 - a wrapper may not like to be called so; then this is not known
        return None
    used = used_inputs(Builder().program(Capturer(Tokens()).capture(closed)))
    return dict(zip(names, used, strict=True)) if len(names) == len(used) else None


def _stage(opened: Opened) -> ArmError | None:
    if opened.kind == "wrapped":
        opened = opened.mapped(lambda _, leaf: abstract.concrete(leaf))
    return attempt(opened.staged, opened.args, opened.kwargs, compiled=False)


def _left_out(described: Described, found: Any, program: Any) -> list[Any]:
    """Statics that the call leaves to their defaults: they are no part of its signature."""
    from whyjit.model.signature import Static

    return [
        reading.static_role(
            Static(parameter.name, "", f"{parameter.text} (left out)", ""),
            found(parameter.name),
            program,
            linecache.getline,
        )
        for parameter in described.parameters
        if parameter.static and parameter.form == "default"
    ]


def _notes(described: Described) -> tuple[str, ...]:
    if described.kind == "plain":
        made = f", with {', '.join(described.made_static)} static" if described.made_static else ""
        return (f"the function is not jitted; whyjit jits it{made}",)
    return ()
