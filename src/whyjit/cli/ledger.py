"""`whyjit ledger`: the calls of one function, each beside the work that JAX did for it."""

from __future__ import annotations

from pathlib import Path

import click

from whyjit.cli import common


@click.command()
@click.argument("function")
@common.run_argument
@click.option("--all", "everything", is_flag=True, help="Show every row, however many there are.")
@common.json_option
def command(function: str, run: Path | None, everything: bool, json_file: Path | None) -> None:
    """List the calls of a function with their traces and compiles.

    A row stands for equal calls in a row. FUNCTION is a name, the end of a qualified name, or file.py:name where
    several have one name. RUN is a run's folder or a folder of runs, whose newest is meant; left out, the newest in
    .whyjit.

    \b
    whyjit ledger train_step
    """  # noqa: D301 - \b is for click
    from whyjit.cli import functions
    from whyjit.present import compose
    from whyjit.store import reader

    found = common.analysed(run)
    report = functions.find(found.report, function)
    rows = reader.rows(found.file, report.function.id)
    if json_file is not None:
        from whyjit.present.function_json import ledger_dict

        common.write_json(json_file, ledger_dict(found.report, report, rows))
        return
    directory = found.report.environment.directory
    limit = {"limit": None} if everything else {}
    common.print_document(compose.ledger(report, rows, directory=directory, **limit))
