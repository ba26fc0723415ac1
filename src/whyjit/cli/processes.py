"""`whyjit processes`: all processes of a run together."""

from __future__ import annotations

import click

from whyjit.cli import common


@click.command()
@click.argument("run", required=False)
@common.format_option("terminal", "json")
def command(run: str | None, form: str) -> None:
    """Compare the processes of a run, and find where they part.

    It shows what each process traced and compiled, and the first program in which they differ. Recordings are read one
    at a time. RUN is a run's folder or a folder of runs, whose newest is meant, or the address of a run's folder in an
    object store, such as s3://bucket/run; left out, the newest in .whyjit.

    \b
    whyjit processes runs/job-17
    """  # noqa: D301 - \b is for click
    from whyjit import settings
    from whyjit.analyse.processes import together
    from whyjit.present import compose
    from whyjit.present.json import dumps
    from whyjit.present.processes_json import processes_dict
    from whyjit.store.many import Recordings

    recordings = Recordings(run or str(settings.load().out))
    found = together(recordings)
    if form == "json":
        common.write(dumps(processes_dict(found)))
    else:
        common.print_document(compose.processes(found))
    for fault in recordings.unreadable:
        click.echo(f"whyjit: left out: {fault.message}", err=True)
