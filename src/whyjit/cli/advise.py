"""`whyjit advise`: changes that would spare traces, each with its evidence."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from whyjit.cli import common


@click.command()
@common.run_argument
@common.function_option
@click.option(
    "--json", "json_file", metavar="FILE", type=click.Path(path_type=Path), help="Write JSON, too; - prints it instead."
)
@common.trial_timeout_option
def command(run: Path | None, function: str | None, json_file: Path | None, timeout: float) -> None:
    """Advise on what to change, with the evidence for each change.

    \b
    PROVEN     the changed program is the same at every recorded value, to the bit
    TESTED     both versions were run, and agree
    SUGGESTED  neither could be done, or it was and failed; the reason is given

    Changes are tried in processes of their own, which load the recorded program's source files. They need the arguments
    of its calls for a proof. RUN is a run's folder or a folder of runs, whose newest is meant; left out, the newest in
    .whyjit.

    \b
    whyjit run --keep-arguments train.py
    whyjit advise
    """  # noqa: D301 - \b is for click
    from whyjit import advising
    from whyjit.cli import functions
    from whyjit.present import compose
    from whyjit.present.advice_json import advice_dict
    from whyjit.rewrite.advisers import Limits

    found = common.analysed(run)
    if sys.stderr.isatty():
        click.echo("whyjit: trying changes, each in a process of its own; this may take a minute", err=True)
    only = functions.find(found.report, function).function.name if function else ""
    advised = advising.on_run(found.file, found.report, only=only, limits=Limits(seconds=timeout))
    if json_file is not None:
        common.write_json(json_file, advice_dict(advised.items))
        if str(json_file) == "-":
            return
    directory = found.report.environment.directory
    common.print_document(compose.advice(advised.items, advised.faults, directory=directory, where=str(found.run)))
