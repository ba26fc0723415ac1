"""`whyjit processes`: all processes of a run together."""

from __future__ import annotations

import click
import msgspec

from whyjit.cli import common


@click.command()
@click.argument("run", required=False)
@click.option(
    "--format", "form", type=click.Choice(("terminal", "json")), default="terminal", show_default=True,
    help="What to print.",
)  # fmt: skip
def command(run: str | None, form: str) -> None:
    """Show what each process of a run traced and compiled, and the first program in which they differ.

    RUN is a run's folder or a folder of runs, whose newest is meant, or the address of a run's folder in an object
    store, such as s3://bucket/run; left out, the newest in .whyjit. Recordings are read one at a time.
    """
    from whyjit import settings
    from whyjit.analyse.processes import together
    from whyjit.present import compose
    from whyjit.present.processes_json import processes_dict
    from whyjit.store.many import Recordings

    recordings = Recordings(run or str(settings.load().out))
    found = together(recordings)
    if form == "json":
        text = msgspec.json.format(msgspec.json.encode(processes_dict(found)), indent=2).decode()
        common.write(text + "\n")
    else:
        common.print_document(compose.processes(found))
    for fault in recordings.unreadable:
        click.echo(f"whyjit: left out: {fault.message}", err=True)
