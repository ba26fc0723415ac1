"""`whyjit report`: everything about a run."""

from __future__ import annotations

from pathlib import Path

import click

from whyjit.cli import common
from whyjit.cli.formats import FORMATS


@click.command()
@common.run_argument
@common.format_option(*FORMATS)
@common.output_option
def command(run: Path | None, form: str, output: Path | None) -> None:
    """Report on a run: where the time went, why, and what to do.

    RUN is a run's folder or a folder of runs, whose newest is meant; left out, the newest in .whyjit.

    \b
    whyjit report
    whyjit report --format html -o report.html
    """  # noqa: D301 - \b is for click
    from whyjit.cli import formats

    formats.check(form)
    found = common.analysed(run)
    if output is None and form == "terminal":
        from whyjit.present import compose
        from whyjit.whole_runs import beside

        common.print_document(compose.report(found.report, where=str(found.run), together=beside(found.run)))
        _name_others(found)
        return
    made = formats.text(found.report, form, run=found.run, file=found.file, where=str(found.run))
    common.hand_over(made, output)


def _name_others(found: common.Analysed) -> None:
    """Other processes of the run have recordings of their own."""
    from whyjit.store.runs import files

    others = [file for file in files(found.run) if file != found.file]
    if others:
        shown = ", ".join(str(file) for file in others[:3]) + (", ..." if len(others) > 3 else "")
        count = (
            "1 more process of this run was" if len(others) == 1 else f"{len(others)} more processes of this run were"
        )
        click.echo(f"whyjit: {count} recorded; report on one by its file: {shown}", err=True)
