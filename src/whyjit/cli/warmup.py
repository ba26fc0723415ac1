"""`whyjit warmup`: a Python module that compiles ahead of time what a run used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.cli import common

if TYPE_CHECKING:
    from whyjit.analyse.warmup.references import Home
    from whyjit.model.finding import Report


@click.command()
@common.run_argument
@common.output_option
def command(run: Path | None, output: Path | None) -> None:
    """Write a module that compiles ahead of time what a run used.

    A server that imports it and calls its warm_up() compiles nothing later for calls like the recorded ones; the
    dearest come first. What cannot be made ahead is listed in the module with the reason. RUN is a run's folder or a
    folder of runs, whose newest is meant; left out, the newest in .whyjit.

    \b
    whyjit warmup -o warmup.py
    """  # noqa: D301 - \b is for click
    from whyjit.analyse.warmup.plan import plan
    from whyjit.present import warmup

    found = common.analysed(run)
    environment = found.report.environment
    made = plan(found.report, _homes(found.report))
    started = Path(environment.argv[0]).name if environment.argv else ""
    text = warmup.module(made, environment, run=found.run.name, program_file=started)
    if output is None:
        common.write(text)
    else:
        common.write_file(output, text)
    _tell(len(made.works), len(made.left_out), output)


def _tell(works: int, left: int, output: Path | None) -> None:
    where = f"{output}: " if output is not None else ""
    rest = f"; {left} left out, listed with the reasons at its top" if left else ""
    click.echo(f"whyjit: {where}{works} program{'' if works == 1 else 's'} to compile ahead{rest}", err=True)


def _homes(report: Report) -> dict[str, Home]:
    """Where the functions of each file are to be imported from."""
    from whyjit.analyse.warmup.references import Home
    from whyjit.errors import WhyjitError
    from whyjit.rewrite import sources, subject

    environment = report.environment
    program = Path(environment.directory) / environment.argv[0] if environment.argv else None
    homes: dict[str, Home] = {}
    files = [function.function.file for function in report.functions if function.function.origin == "user"]
    if program is not None and program.is_file():  # it may jit functions of other files
        files.append(str(program))
    for file in dict.fromkeys(files):
        path = Path(file)
        try:
            source, reason = sources.read(path).text, ""
        except WhyjitError as fault:
            source, reason = "", fault.message
        is_program = program is not None and program.resolve() == path.resolve()
        homes[file] = Home(subject.module_name(path), is_program, source, reason)
    return homes
