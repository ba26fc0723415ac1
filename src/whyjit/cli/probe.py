"""`whyjit probe`: what a function specializes on, found out by changing one factor of a call at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.cli import common
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.experiment.jobs import Job, Source, Target
    from whyjit.model.finding import Explained, FunctionReport


@click.command()
@click.argument("target", metavar="[FILE.py:FUNCTION | MODULE:FUNCTION]", required=False)
@click.option("--args", "expression", metavar="EXPR", help="The call: a tuple of arguments, or (arguments, keywords).")
@click.option(
    "--call", metavar="[RUN:]FUNCTION@N", help="The call: that of a recorded specialization, without its data."
)
@click.option("--vary", multiple=True, metavar="NAME=EXPR", help="A value to try for an argument. May be repeated.")
@click.option(
    "--only",
    multiple=True,
    metavar="KIND",
    help="A kind of factor to look at: values, static, static_identity, given, call_form, structure, transform, shape, "
    "dtype, weak_type or sizes; left out, all. May be repeated.",
)
@click.option(
    "--static",
    multiple=True,
    metavar="NAME",
    help="A parameter to make static, where the function is not jitted. May be repeated.",
)
@click.option("--compile", "compiled", is_flag=True, help="Compile, too.")
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True, metavar="SECONDS",
    help="How long an arm may take.",
)  # fmt: skip
@click.option("--memory", type=click.IntRange(min=1), metavar="MB", help="How much memory an arm may take.")
@click.option(
    "--most", type=click.IntRange(min=1), metavar="N", help="How many arms there may be (60); what is beyond is named."
)
@common.json_option
def command(
    target: str | None,
    expression: str | None,
    call: str | None,
    vary: tuple[str, ...],
    only: tuple[str, ...],
    static: tuple[str, ...],
    compiled: bool,
    timeout: float,
    memory: int | None,
    most: int | None,
    json_file: Path | None,
) -> None:
    """Find out what a function specializes on, by experiment.

    One factor of a call is changed at a time. The call to start from is given with --args, taken from a recording with
    --call, or made from the function's annotations, such as Float[Array, "batch 3"]. In --args and --vary, jax, jnp, np
    and the names of the function's module can be used. Every arm runs in a process of its own; nothing is executed,
    only traced.

    \b
    whyjit probe model.py:step --args "(np.ones((8, 3)),), {'mode': 'sum'}" --vary "mode='mean'"
    whyjit probe --call train_step@2 --only static
    """  # noqa: D301 - \b is for click
    import msgspec

    from whyjit import probing
    from whyjit.present import compose

    if expression is not None and call is not None:
        raise WhyjitError("--args and --call both give the call; leave one of them out")
    job = _from_recording(target, call) if call is not None else _job(_target(target), _source(expression))
    named = tuple(_split(text) for text in vary)
    job = msgspec.structs.replace(job, vary=named, static=static, compile=compiled)
    probed = probing.run(job, only, most=most, timeout=timeout, memory_mb=memory)
    if json_file is not None:
        common.write_json(json_file, probed.report())
    else:
        common.print_document(compose.probe(probed.probe, directory=str(Path.cwd())))


def _job(target: Target, source: Source) -> Job:
    from whyjit.experiment.jobs import Job

    return Job(target, source)


def _source(expression: str | None) -> Source:
    from whyjit.experiment.jobs import Source

    return Source("annotations") if expression is None else Source("expression", expression)


def _target(text: str | None) -> Target:
    """`FILE.py:FUNCTION` or `MODULE:FUNCTION`."""
    from whyjit.experiment.jobs import Target

    place, _, name = (text or "").rpartition(":")
    if not place or not name:
        shown = f"{text} names no function" if text else "no function is named"
        raise WhyjitError(f"{shown}; name it as FILE.py:FUNCTION or MODULE:FUNCTION")
    here = str(Path.cwd())
    if place.endswith(".py"):
        if not Path(place).is_file():
            raise WhyjitError(f"there is no file {place}; name the function as FILE.py:FUNCTION or MODULE:FUNCTION")
        return Target("file", place, name, directory=here)
    if not all(part.isidentifier() for part in place.split(".")):
        raise WhyjitError(f"{place} is neither a Python file nor a module; name the function as FILE.py:FUNCTION")
    return Target("module", place, name, directory=here)


def _split(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier() or not value.strip():
        raise WhyjitError(f"--vary {text} is not NAME=EXPR, such as --vary mode=\"'mean'\"")
    return name.strip(), value.strip()


def _from_recording(target: str | None, call: str) -> Job:
    """The job for a recorded specialization. Its function is found where it was recorded, unless a target says so."""
    import msgspec

    from whyjit.cli import functions
    from whyjit.experiment.jobs import Source

    run, name = _run_and_function(call)
    wanted = functions.parse(name)
    report = functions.find(common.analysed(run).report, wanted.name)
    chosen = report.specializations[-1] if wanted.first is None else functions.specialization(report, wanted.first)
    found = _target(target) if target else _recorded_target(report)
    job = _job(found, Source("recorded", signature=chosen.specialization.signature))
    return msgspec.structs.replace(job, recorded=tuple(_recorded_statics(report, chosen)))


def _run_and_function(call: str) -> tuple[Path | None, str]:
    """`RUN:FUNCTION@N` taken apart: the run is what exists; without one, the newest is meant."""
    for at, letter in enumerate(call):
        if letter == ":" and Path(call[:at]).exists() and not call[:at].endswith(".py"):
            return Path(call[:at]), call[at + 1 :]
    return None, call


def _recorded_target(report: FunctionReport) -> Target:
    from whyjit.experiment.jobs import Target

    function = report.function
    if "<" in function.qualname or not function.file.endswith(".py"):
        raise WhyjitError(
            f"{function.qualname} is made inside another function, so it cannot be found by its name; name one that "
            "can be, as FILE.py:FUNCTION, before --call"
        )
    return Target("file", function.file, function.qualname, directory=str(Path.cwd()))


def _recorded_statics(report: FunctionReport, chosen: Explained) -> list[tuple[str, str]]:
    """The other values that the statics of a function had in the recording."""
    own = {static.path: static.text for static in chosen.specialization.signature.statics}
    found = {
        (static.path, static.text): None
        for explained in report.specializations
        for static in explained.specialization.signature.statics
        if own.get(static.path) not in (None, static.text)
    }
    return list(found)
