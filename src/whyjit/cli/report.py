"""`whyjit report`: everything about a run."""

from __future__ import annotations

from pathlib import Path

import click

from whyjit.cli import common
from whyjit.cli.formats import FORMATS

_TOGETHER = 64


@click.command()
@common.run_argument
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="terminal", show_default=True, help="What to print."
)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write a file instead of printing."
)
def command(run: Path | None, form: str, output: Path | None) -> None:
    """Report on a run: where the time went, what of it was needless, and what to do.

    RUN is a run's folder or a folder of runs, whose newest is meant; left out, the newest in .whyjit.
    """
    from whyjit.cli import formats

    formats.check(form)
    found = common.analysed(run)
    if output is None and form == "terminal":
        from whyjit.present import compose

        common.print_document(compose.report(found.report, where=str(found.run)))
        _name_others(found)
        _together(found)
        return
    made = formats.text(found.report, form, run=found.run, file=found.file, where=str(found.run))
    common.hand_over(made, output)


def _together(found: common.Analysed) -> None:
    """The processes of one computation beside each other; of very many, only how to see them."""
    from whyjit.store.runs import files

    count = len(files(found.run))
    if count > _TOGETHER:
        where = f"see them together: whyjit processes {found.run}"
        click.echo(f"whyjit: {count:,} processes were recorded; {where}", err=True)
    elif count > 1:
        from whyjit.analyse.processes import together
        from whyjit.present import compose
        from whyjit.store.many import Recordings

        every = together(Recordings(str(found.run)))
        if len({row.environment.process_index for row in every.rows}) > 1:
            click.echo()
            common.print_document(compose.processes(every))


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
