"""`whyjit why`: why each specialization of a function came to be."""

from __future__ import annotations

from pathlib import Path

import click

from whyjit.cli import common


@click.command()
@click.argument("function")
@common.run_argument
@click.option("--all", "everything", is_flag=True, help="Show each specialization, however many there are.")
@common.json_option
def command(function: str, run: Path | None, everything: bool, json_file: Path | None) -> None:
    """Show each specialization of FUNCTION: its cause, what changed in the program, and its cost.

    FUNCTION is a name, the end of a qualified name, or file.py:name where several have one name.
    """
    from whyjit.cli import functions
    from whyjit.present import compose

    found = common.analysed(run)
    report = functions.find(found.report, function)
    if json_file is not None:
        from whyjit.present.function_json import function_dict

        common.write_json(json_file, function_dict(found.report, report))
        return
    common.print_document(compose.why(report, directory=found.report.environment.directory, full=everything))
