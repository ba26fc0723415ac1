"""`whyjit export`: a run as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from whyjit.export.parquet import Form


@click.command()
@click.argument("run", required=False)
@click.option(
    "-o", "--output", metavar="DIR", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write to.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(("parquet", "duckdb")), default="parquet", show_default=True,
    help="A Parquet file for each table, or one DuckDB database.",
)  # fmt: skip
def command(run: str | None, output: Path, form: Form) -> None:
    """Write a run as tables, for SQL, pandas or polars.

    They hold all of its processes, calls, causes and findings. RUN is a run's folder or a folder of runs, whose newest
    is meant, or the address of a run's folder in an object store, such as s3://bucket/run; left out, the newest in
    .whyjit.

    \b
    whyjit export -o tables
    """  # noqa: D301 - \b is for click
    from whyjit import settings
    from whyjit.export.parquet import export

    for file in export(run or settings.load().out, output, form):
        click.echo(str(file))
