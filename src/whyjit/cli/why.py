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
    directory = found.report.environment.directory
    trace = _trace(found, report, directory)
    common.print_document(compose.why(report, directory=directory, full=everything, trace=trace))


def _trace(found: common.Analysed, report: FunctionReport, directory: str) -> list[Block]:
    """What there is to say of the trace that took longest."""
    from whyjit.analyse.lines import by_line
    from whyjit.analyse.tracetime import by_seconds, slowest, trace_tree, traced_s
    from whyjit.cli import sources
    from whyjit.present.compose.tracing import gave, spent, stood
    from whyjit.store import reader

    spec = slowest(report)
    if spec is None:
        return []
    title = f"{report.function.name}@{spec.number}"
    blocks = spent(trace_tree(found.report.functions, spec), title, directory)
    stack = [(place.file, place.line) for sample in spec.samples for place in sample.places]
    blocks += stood(by_seconds(spec.samples), traced_s(spec), sources.texts(stack), title, directory)
    program = reader.program(found.file, spec.program) if spec.program else None
    if program is not None:
        blocks += gave(by_line(program), spec.unrolled, sources.lines(program), title, directory)
    return blocks
