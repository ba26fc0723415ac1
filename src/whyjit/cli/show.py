"""`whyjit show`: the staged program of a function, or the difference of two."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.cli import common
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.model.finding import Explained, FunctionReport
    from whyjit.model.program import Program


@click.command()
@click.argument("function", metavar="FUNCTION[@N|@N..M]")
@common.run_argument
@click.option("--all", "everything", is_flag=True, help="In a difference, show the lines that are equal, too.")
def command(function: str, run: Path | None, everything: bool) -> None:
    """Show the program that JAX staged for FUNCTION, with the source lines it came from.

    FUNCTION@2 is its second specialization, FUNCTION@1..2 the difference between the first and the second; without a
    number, the last one that was traced is shown.
    """
    from whyjit.cli import functions
    from whyjit.present import compose

    wanted = functions.parse(function)
    found = common.analysed(run)
    report = functions.find(found.report, wanted.name)
    chosen = _last_traced(report) if wanted.first is None else functions.specialization(report, wanted.first)
    program = _program(found.file, report, chosen)
    if wanted.last is None:
        document = compose.program(
            program,
            dict(_source(program)),
            title=_title(report, chosen),
            directory=found.report.environment.directory,
        )
    else:
        other = functions.specialization(report, wanted.last)
        around = {"around": None} if everything else {}
        document = compose.program_difference(
            program,
            _program(found.file, report, other),
            left=_title(report, chosen),
            right=_title(report, other),
            **around,
        )
    common.print_document(document)


def _title(report: FunctionReport, explained: Explained) -> str:
    return f"{report.function.name}@{explained.specialization.number}"


def _last_traced(report: FunctionReport) -> Explained:
    traced = [explained for explained in report.specializations if explained.specialization.program]
    if not traced:
        raise WhyjitError(
            f"no program of {report.function.name} was kept: it was not traced while it was recorded, or no trace "
            f"succeeded; see its calls with: whyjit ledger {report.function.name}"
        )
    return traced[-1]


def _program(file: Path, report: FunctionReport, explained: Explained) -> Program:
    from whyjit.store import reader

    key = explained.specialization.program
    program = reader.program(file, key) if key else None
    if program is None:
        title = _title(report, explained)
        kept = [str(each.specialization.number) for each in report.specializations if each.specialization.program]
        others = f"those of {', '.join(kept[:10])} were" if kept else "nor was any other of this function"
        raise WhyjitError(f"the program of {title} was not kept: it was not traced, or its trace failed; {others}")
    return program


def _source(program: Program) -> Iterator[tuple[tuple[str, int], str]]:
    """The source lines that a program and the programs in it came from, as the files are now."""
    for equation in program.equations:
        if equation.file:
            text = linecache.getline(equation.file, equation.line)
            if text:
                yield (equation.file, equation.line), text
        for _, inner in equation.programs:
            yield from _source(inner)
