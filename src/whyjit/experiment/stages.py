"""The later stages of a recorded program: StableHLO, HLO after XLA's passes, and what XLA says they cost.

A recording holds the staged program, not what became of it later. So the function is staged again, in a process of its
own, from the recorded types and static values; and only if the program that comes of it has the fingerprint of the
recorded one is anything said about it.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, Literal

import msgspec

from whyjit.errors import WhyjitError
from whyjit.experiment.apart import run_apart
from whyjit.experiment.jobs import Answered, Job, Refused, Source, Target
from whyjit.model.recording import Environment, Function, Specialization
from whyjit.model.signature import Leaf

Stage = Literal["jaxpr", "stablehlo", "hlo"]
TIMEOUT_S = 120.0
# Versions of JAX call the first device cpu:0 or TFRT_CPU_0.
_FIRST = re.compile(r"committed to \w+[:_]0")


class StageJob(msgspec.Struct, frozen=True):
    """What to stage: the job, the static parameters if the function is not jitted where it is found, how far to go."""

    job: Job
    static: tuple[str, ...]
    stage: Stage
    cost: bool
    fingerprint: str
    equations: int


class Staged(msgspec.Struct, frozen=True):
    """A program at a later stage, and what XLA says of its cost.

    `text` is empty where only the cost was asked for. `lowered` and `compiled` are XLA's cost analyses of the program
    before and after its passes, `memory` is that of the executable in bytes; each is empty where this JAX gives none,
    and `missing` says why. `jax` and `platform` are those of the process that staged it.
    """

    text: str
    jax: str
    platform: str
    lowered: tuple[tuple[str, float], ...] = ()
    compiled: tuple[tuple[str, float], ...] = ()
    memory: tuple[tuple[str, int], ...] = ()
    missing: tuple[str, ...] = ()


def staged(
    function: Function, spec: Specialization, environment: Environment, *, stage: Stage, cost: bool = False
) -> Staged:
    """Stage a recorded specialization again, and go on to `stage`. Nothing of it is executed.

    Raises:
      WhyjitError: it cannot be had; the message says why, and what to do.
    """
    _refuse(function, spec)
    statics = tuple(static.path for static in spec.signature.statics if static.path.isidentifier())
    job = Job(_target(function, environment), Source("recorded", signature=spec.signature), settings=_settings(spec))
    made = spec.fingerprint
    work = StageJob(job, statics, stage, cost, made.whole if made else "", made.equations if made else 0)
    outcome = run_apart(
        "whyjit.experiment.stages:stage_apart",
        msgspec.msgpack.encode(work),
        timeout_s=TIMEOUT_S,
        cwd=Path(environment.directory) if environment.directory and Path(environment.directory).is_dir() else None,
    )
    if outcome.result is None:
        raise WhyjitError(f"{function.name} cannot be staged again in a process of its own: {outcome.failure}")
    answer = msgspec.msgpack.decode(outcome.result, type=Answered | Refused)
    if isinstance(answer, Refused):
        # Such messages are written for experiments, which can be given arguments; a recorded call is all there is here.
        said = answer.message.replace("; give the arguments with --args", "").replace(
            "; give the arguments with `--args`", ""
        )
        raise WhyjitError(f"{function.name}@{spec.number} cannot be staged again: {said}; --stage jaxpr is recorded")
    return msgspec.msgpack.decode(answer.content, type=Staged)


def notes(made: Staged, environment: Environment) -> list[str]:
    """How a later stage was come by, and what of it may be other than it was."""
    where = f"with JAX {made.jax} on {made.platform}"
    how = "staged again just now in a process of its own, from the recorded types and values"
    said = [f"{how}, {where}; the program is the recorded one"]
    if made.jax != environment.jax:
        said.append(f"it was recorded with JAX {environment.jax}, whose lowering may be another")
    if environment.platform and made.platform != environment.platform:
        said.append(f"it was recorded on {environment.platform}")
    return [*said, *made.missing]


def _refuse(function: Function, spec: Specialization) -> None:
    """What is known from the start to be impossible."""
    title = f"{function.name}@{spec.number}"
    why = ""
    if spec.fingerprint is None:
        why = "its program was not kept, so that what is staged now could not be compared with it"
    elif not function.file or function.origin == "eager":
        why = "it is no function of a file, but operations that JAX was called for one by one"
    elif "<locals>" in function.qualname or "<lambda>" in function.qualname:
        why = f"it is made inside another function ({function.qualname}), and has no name to find it by"
    elif spec.signature.transforms:
        why = f"it was traced under {', '.join(spec.signature.transforms)}; show the function that was called instead"
    elif any(leaf.mesh or (leaf.sharding and not _on_first(leaf)) for leaf in spec.signature.leaves):
        why = "its arguments were placed on devices in a way that the recording cannot bring back"
    if why:
        raise WhyjitError(
            f"only the jaxpr of {title} was recorded, and it cannot be staged again: {why}; --stage jaxpr is recorded"
        )


def _on_first(leaf: Leaf) -> bool:
    """Whether an array was on the device that the process apart uses by itself."""
    return bool(_FIRST.fullmatch(leaf.sharding)) and not leaf.memory


def _settings(spec: Specialization) -> dict[str, Any]:
    """The recorded settings that decide the types of a program."""
    known = {"True": True, "False": False}
    found = {name: known[text] for name, text in spec.signature.context if "x64" in name and text in known}
    return {"jax_enable_x64": next(iter(found.values()))} if found else {}


def _target(function: Function, environment: Environment) -> Target:
    """Where the function is found: in its package's module, or in its file by itself."""
    file = Path(function.file)
    names = [file.stem] if file.stem != "__init__" else []
    folder = file.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    if folder != file.parent:
        return Target("module", ".".join(names), function.qualname, directory=str(folder))
    started = environment.argv[0] if environment.argv else ""
    main = bool(started) and Path(environment.directory, started).resolve() == file.resolve()
    return Target("file", str(file), function.qualname, main=main)


def stage_apart(payload: bytes) -> bytes:
    """In the process apart: a `StageJob` done, a `Staged` as the answer."""
    try:
        content = msgspec.Raw(msgspec.msgpack.encode(_stage(msgspec.msgpack.decode(payload, type=StageJob))))
    except WhyjitError as fault:
        return msgspec.msgpack.encode(Refused(fault.message))
    return msgspec.msgpack.encode(Answered(content))


def _stage(work: StageJob) -> Staged:
    from whyjit.experiment.apart_child import last_line
    from whyjit.experiment.opened import open_call
    from whyjit.experiment.watching import Watch
    from whyjit.jaxlink import stages

    opened = open_call(work.job)
    if opened.kind == "plain" and set(opened.made_static) != set(work.static):
        opened = open_call(msgspec.structs.replace(work.job, static=work.static))
    stages.forget()
    with Watch(opened) as watch:
        try:
            lowered = opened.staged.lower(*opened.args, **opened.kwargs)
        except Exception as raised:
            raise WhyjitError(f"tracing it now ends with {last_line(raised)}") from raised
    made = watch.work().specialization
    now = made.fingerprint if made is not None else None
    if now is None or now.whole != work.fingerprint:
        size = f", of {now.equations} equations where the recorded one has {work.equations}" if now else ""
        raise WhyjitError(
            f"the program that is staged now is another one{size}; its source, its settings, or what it reads from "
            "outside is not as it was: record it again"
        )
    needed = work.cost or work.stage == "hlo"
    try:
        compiled = lowered.compile() if needed else None
    except Exception as raised:
        raise WhyjitError(f"compiling it now ends with {last_line(raised)}") from raised
    missing: list[str] = []
    text = ""
    if work.stage == "stablehlo":
        text = str(lowered.as_text())
    elif work.stage == "hlo":
        text = str(compiled.as_text() or "") if compiled is not None else ""
        if not text:
            raise WhyjitError("this platform gives no text of a compiled program")
    return Staged(
        text,
        *stages.versions(),
        *((_costs(lowered, "before", missing), _costs(compiled, "after", missing)) if work.cost else ((), ())),
        _memory(compiled, missing) if work.cost else (),
        tuple(missing),
    )


def _costs(stage: Any, when: str, missing: list[str]) -> tuple[tuple[str, float], ...]:
    """XLA's cost analysis as numbers by name; those for single operands are left out."""
    try:
        found = stage.cost_analysis()
    except Exception as raised:  # noqa: BLE001 - JAX promises nothing about it
        missing.append(f"no cost analysis {when} XLA's passes: {type(raised).__name__}")
        return ()
    if isinstance(found, (list, tuple)):
        found = found[0] if found else None
    numbers = [
        (name, float(value))
        for name, value in (found or {}).items()
        if isinstance(value, (int, float)) and math.isfinite(value) and "{" not in name and not name.endswith("}")
    ]
    if not numbers:
        missing.append(f"no cost analysis {when} XLA's passes on this platform")
    return tuple(sorted(numbers))


_MEMORY = ("argument_size_in_bytes", "output_size_in_bytes", "temp_size_in_bytes", "generated_code_size_in_bytes")


def _memory(compiled: Any, missing: list[str]) -> tuple[tuple[str, int], ...]:
    try:
        found = compiled.memory_analysis()
    except Exception as raised:  # noqa: BLE001 - JAX promises nothing about it
        missing.append(f"no memory analysis: {type(raised).__name__}")
        return ()
    sizes = [(name, getattr(found, name, None)) for name in _MEMORY]
    known = tuple((name, int(size)) for name, size in sizes if isinstance(size, int))
    if not known:
        missing.append("no memory analysis on this platform")
    return known
