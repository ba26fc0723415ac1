"""`whyjit show`: the staged program of a function, or the difference of two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from whyjit.cli import common
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.model.finding import Explained, FunctionReport
    from whyjit.model.program import Program
    from whyjit.model.recording import Environment
    from whyjit.present.document import Document

_STAGES = ("jaxpr", "stablehlo", "hlo")


class _Asked(NamedTuple):
    """One or two specializations with their programs; what is shown of them is up to the options."""

    report: FunctionReport
    chosen: tuple[Explained, ...]
    programs: tuple[Program, ...]
    environment: Environment
    unfold: bool
    everything: bool

    def title(self, at: int = 0) -> str:
        return _title(self.report, self.chosen[at])


@click.command()
@click.argument("function", metavar="FUNCTION[@N|@N..M]")
@common.run_argument
@click.option("--unfold", is_flag=True, help="Show the programs inside equations (bodies, branches, nested jits), too.")
@click.option("--by-line", "by_line", is_flag=True, help="Count the equations of each source line, as a tree of calls.")
@click.option(
    "--stage",
    type=click.Choice(_STAGES),
    default="jaxpr",
    help="How far on the way to an executable. Only the jaxpr is recorded; for the others the function is staged "
    "again in a process of its own, which imports its file.",
)
@click.option("--cost", is_flag=True, help="XLA's own estimate of operations and bytes, and the memory it needs.")
@click.option("--roles", is_flag=True, help="Show the inputs instead: runtime values, metadata, static configuration.")
@click.option("--all", "everything", is_flag=True, help="Leave nothing out: equal lines in a difference, small lines.")
@common.json_option
def command(
    function: str,
    run: Path | None,
    *,
    unfold: bool,
    by_line: bool,
    stage: str,
    cost: bool,
    roles: bool,
    everything: bool,
    json_file: Path | None,
) -> None:
    """Show the program that JAX staged, or the difference of two.

    The source lines it came from stand beside it. FUNCTION@2 is the second specialization, FUNCTION@1..2 the difference
    between the first and the second; without a number, the last one that was traced is shown. RUN is a run's folder or
    a folder of runs, whose newest is meant; left out, the newest in .whyjit.

    \b
    whyjit show train_step@1..2
    whyjit show train_step --by-line
    whyjit show train_step@2 --stage hlo
    """  # noqa: D301 - \b is for click
    from whyjit.cli import functions

    wanted = functions.parse(function)
    if roles:
        from whyjit.cli import input_roles

        input_roles.show(function, run, json_file)
        return
    if wanted.last is not None and (by_line or cost or stage != "jaxpr"):
        raise WhyjitError("--by-line, --stage and --cost are about one program; name it as FUNCTION@N")
    if by_line and (cost or stage != "jaxpr"):
        raise WhyjitError("--by-line counts the equations of the jaxpr; leave --stage and --cost out")
    found = common.analysed(run)
    report = functions.find(found.report, wanted.name)
    chosen = [_last_traced(report) if wanted.first is None else functions.specialization(report, wanted.first)]
    if wanted.last is not None:
        chosen.append(functions.specialization(report, wanted.last))
    programs = tuple(_program(found.file, report, each) for each in chosen)
    asked = _Asked(report, tuple(chosen), programs, found.report.environment, unfold, everything)
    if stage != "jaxpr" or cost:
        made, text = _staged(asked, stage, cost=cost, as_json=json_file is not None)
    elif by_line:
        made, text = _by_line(asked, as_json=json_file is not None)
    elif len(programs) == 2:
        made, text = _difference(asked, as_json=json_file is not None)
    else:
        made, text = _one(asked, as_json=json_file is not None)
    if isinstance(made, dict):
        common.write_json(json_file or Path("-"), made)
        return
    common.print_document(made)
    if text:
        common.write(f"\n{text.rstrip()}\n")


# Each form is made as a document or, for JSON, as a dict; `_staged` may give plain text besides.


def _one(asked: _Asked, *, as_json: bool) -> tuple[Document | dict[str, Any], str]:
    from whyjit.cli import sources
    from whyjit.present import compose
    from whyjit.present.program_json import ProgramJson

    source = sources.lines(*asked.programs)
    notes = sources.changed(source, asked.environment)
    if as_json:
        maker = ProgramJson(source, asked.environment.directory)
        return {**_head(maker, asked, notes), "program": maker.program(asked.programs[0])}, ""
    return compose.program(
        asked.programs[0],
        source,
        title=asked.title(),
        directory=asked.environment.directory,
        unfold=asked.unfold,
        notes=notes,
    ), ""


def _difference(asked: _Asked, *, as_json: bool) -> tuple[Document | dict[str, Any], str]:
    from whyjit.analyse.align import align
    from whyjit.cli import sources
    from whyjit.present import compose
    from whyjit.present.program_json import ProgramJson

    first, second = asked.programs
    source = sources.lines(first, second)
    notes = sources.changed(source, asked.environment)
    around: dict[str, Any] = {"around": None} if asked.everything else {}
    if as_json:
        maker = ProgramJson(source, asked.environment.directory)
        return {**_head(maker, asked, notes), "difference": maker.difference(align(first, second))}, ""
    return compose.program_difference(
        first,
        second,
        left=asked.title(0),
        right=asked.title(1),
        source=source,
        directory=asked.environment.directory,
        unfold=asked.unfold,
        notes=notes,
        **around,
    ), ""


def _by_line(asked: _Asked, *, as_json: bool) -> tuple[Document | dict[str, Any], str]:
    from whyjit.analyse.lines import by_line
    from whyjit.cli import sources
    from whyjit.present import compose
    from whyjit.present.program_json import ProgramJson

    source = sources.lines(*asked.programs)
    notes = sources.changed(source, asked.environment)
    root = by_line(asked.programs[0])
    unrolled = asked.chosen[0].specialization.unrolled
    if as_json:
        maker = ProgramJson(source, asked.environment.directory)
        loops = [maker.unrolled(loop) for loop in unrolled]
        return {**_head(maker, asked, notes), "lines": maker.lines(root), "unrolled": loops}, ""
    return compose.by_line(
        root,
        source,
        title=asked.title(),
        directory=asked.environment.directory,
        unrolled=unrolled,
        full=asked.everything,
        notes=notes,
    ), ""


def _staged(asked: _Asked, stage: str, *, cost: bool, as_json: bool) -> tuple[Document | dict[str, Any], str]:
    from whyjit.experiment import stages
    from whyjit.present import compose
    from whyjit.present.program_json import ProgramJson

    made = stages.staged(
        asked.report.function,
        asked.chosen[0].specialization,
        asked.environment,
        stage="stablehlo" if stage == "stablehlo" else "hlo" if stage == "hlo" else "jaxpr",
        cost=cost,
    )
    notes = stages.notes(made, asked.environment)
    parts: dict[str, Any] = {name: getattr(made, name) for name in made.__struct_fields__}
    if as_json:
        maker = ProgramJson({}, asked.environment.directory)
        return {**_head(maker, asked, notes), "staged": maker.staged(stage, **parts)}, ""
    costs = {name: parts[name] for name in ("lowered", "compiled", "memory")}
    return compose.staged(title=asked.title(), stage=stage, cost=cost, notes=notes, **costs), made.text


def _head(maker: Any, asked: _Asked, notes: list[str]) -> dict[str, Any]:
    numbers = [each.specialization.number for each in asked.chosen]
    head: dict[str, Any] = maker.head(asked.report.function, numbers, notes)
    return head


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
