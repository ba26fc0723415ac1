"""`whyjit why`: why each specialization of a function came to be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.cli import common

if TYPE_CHECKING:
    from whyjit.model.finding import FunctionReport
    from whyjit.present.document import Block


@click.command()
@click.argument("function")
@common.run_argument
@click.option("--all", "everything", is_flag=True, help="Show each specialization, however many there are.")
@common.json_option
def command(function: str, run: Path | None, everything: bool, json_file: Path | None) -> None:
    """Explain each specialization of a function: cause and cost.

    It says what changed in the call, and what that changed in the program. FUNCTION is a name, the end of a qualified
    name, or file.py:name where several have one name. RUN is a run's folder or a folder of runs, whose newest is meant;
    left out, the newest in .whyjit.

    \b
    whyjit why train_step
    whyjit why train_step --json why.json
    """  # noqa: D301 - \b is for click
    from whyjit.cli import functions
    from whyjit.present import compose
    from whyjit.present.compose.ranking import inside

    found = common.analysed(run)
    report = functions.find(found.report, function)
    if json_file is not None:
        from whyjit.present.function_json import function_dict

        common.write_json(json_file, function_dict(found.report, report))
        return
    directory = found.report.environment.directory
    trace = _trace(found, report)
    spent = inside(found.report, report)
    common.print_document(compose.why(report, directory=directory, full=everything, trace=trace, inside_s=spent))


def _trace(found: common.Analysed, report: FunctionReport) -> list[Block]:
    """What there is to say of the trace that took longest."""
    import linecache
    from functools import partial

    from whyjit.analyse.tracetime import Traces
    from whyjit.present.compose.tracing import slowest_trace
    from whyjit.store import reader

    directory = found.report.environment.directory
    program_of = partial(reader.program, found.file)
    return slowest_trace(report, Traces(found.report.functions), program_of, linecache.getline, directory)
