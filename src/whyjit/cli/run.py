"""`whyjit run`: record an unchanged program."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from whyjit.errors import WhyjitError

_MODULE = re.compile(r"-q*m")


class _RunCommand(click.Command):
    """Leaves everything after the script, or after `-m MODULE`, to the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with_value = {name for option in self.params if _takes_value(option) for name in option.opts}
        place = 0
        while place < len(args) and args[place].startswith("-") and args[place] not in {"-", "--"}:
            if _MODULE.match(args[place]):
                end = place + (2 if args[place].endswith("m") else 1)
                return super().parse_args(ctx, [*args[:end], "--", *args[end:]])
            place += 2 if args[place] in with_value else 1
        return super().parse_args(ctx, args)


def _takes_value(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and not parameter.is_flag


@click.command(cls=_RunCommand, context_settings={"allow_interspersed_args": False})
@click.option("-m", "module", metavar="MODULE", help="Run a module, as python -m does.")
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="The folder of runs (.whyjit).")
@click.option(
    "--into",
    metavar="RUN",
    type=click.Path(path_type=Path),
    help="Record into this run's folder, together with other processes; it is made if there is none.",
)
@click.option(
    "--json", "json_file", metavar="FILE", type=click.Path(path_type=Path), help="Write the report as JSON, too."
)
@click.option(
    "--html", "html_file", metavar="FILE", type=click.Path(path_type=Path), help="Write the report as HTML, too."
)
@click.option(
    "--calls/--no-calls",
    default=None,
    help="Record every call (the default), or only those that leave JAX's fast path.",
)
@click.option("--redact/--no-redact", default=None, help="Hide the values of static arguments.")
@click.option(
    "--keep-arguments/--no-keep-arguments",
    default=None,
    help="Keep a copy of the arguments of calls beside the recording, for whyjit advise to verify changes with.",
)
@click.option("-q", "--quiet", is_flag=True, default=None, help="Print no summary at the end.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def command(
    module: str | None,
    out: Path | None,
    into: Path | None,
    json_file: Path | None,
    html_file: Path | None,
    calls: bool | None,
    redact: bool | None,
    keep_arguments: bool | None,
    quiet: bool | None,
    program: tuple[str, ...],
) -> NoReturn:
    """Run a program as python would, and record what JAX does.

    The program is unchanged: its arguments, output, exit status and traceback are its own. The recording goes into a
    folder of its own in .whyjit, and a summary comes last, on standard error.

    \b
    whyjit run train.py --steps 100
    whyjit run -m package.train --steps 100

    Processes that are started one by one, as on several hosts, are one run where each is started with --into and the
    same folder.
    """  # noqa: D301 - \b is for click
    from whyjit import settings
    from whyjit.jaxlink import environment
    from whyjit.jaxlink.missing import Missing
    from whyjit.launch import start, target, variables
    from whyjit.store.runs import create_run, join_run

    if module is None and not program:
        raise click.UsageError("name the script to run, or a module after -m")
    flags = {"out": out, "calls": calls, "redact": redact, "quiet": quiet, "keep_arguments": keep_arguments}
    chosen = msgspec.structs.replace(
        settings.load(), **{name: value for name, value in flags.items() if value is not None}
    )
    if chosen.redact and chosen.keep_arguments:
        raise WhyjitError("arguments cannot be kept while values are hidden; leave out --redact or --keep-arguments")
    what = target.module(module, program) if module is not None else target.script(program[0], program[1:])
    supported = environment.supported()
    if isinstance(supported, Missing):
        raise WhyjitError(f"{supported.reason}; whyjit needs JAX 0.6 or newer: pip install --upgrade 'jax>=0.6'")
    for file in (json_file, html_file):
        if file is not None and not file.absolute().parent.is_dir():
            raise WhyjitError(f"cannot write {file}: there is no folder {file.parent}; make it first")
        if file is not None and file.is_dir():
            raise WhyjitError(f"cannot write {file}: it is a folder; name a file in it")
    if into is not None and out is not None:
        raise WhyjitError("--into names the run's folder, and --out the folder of runs; give one of them")
    run = create_run(chosen.out, what.label) if into is None else join_run(into)
    plan = variables.Plan(
        str(run.absolute()),
        os.getpid(),
        joined=into is not None,
        calls=chosen.calls,
        redact=chosen.redact,
        quiet=chosen.quiet,
        json=str(json_file.absolute()) if json_file else "",
        html=str(html_file.absolute()) if html_file else "",
        bounds=" ".join(map(str, chosen.bounds)),
        keep=chosen.keep_limit_mb if chosen.keep_arguments else 0,
    )
    start.start(what, plan)
