"""`whyjit check`: a run against its budget."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import click
from msgspec import structs

from whyjit.cli import common
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whyjit.analyse.budget import FirstCalls, Origin
    from whyjit.analyse.merging import Merged
    from whyjit.model.budget import Verdict
    from whyjit.model.finding import Report
    from whyjit.present.document import Document
    from whyjit.whole_runs import WholeRun

Counted = Literal["together", "each", "first"]


@click.command()
@common.run_argument
@click.option(
    "--budget", metavar="FILE", type=click.Path(path_type=Path),
    help="Take the budget from this file (TOML) instead of the nearest pyproject.toml.",
)  # fmt: skip
@click.option(
    "--baseline", metavar="FILE", type=click.Path(path_type=Path),
    help="Compare each function's counts with those in this file, instead of with a budget.",
)  # fmt: skip
@click.option("--update", is_flag=True, help="Write this run's counts to the baseline.")
@click.option(
    "--processes", "counted", type=click.Choice(("together", "each", "first")), default="together", show_default=True,
    help="How the processes of a run are counted: all together, each by itself, or the one that was started first.",
)  # fmt: skip
@click.option("--github", is_flag=True, help="Also print annotations for GitHub, and write the job's summary.")
@common.format_option("terminal", "json", "markdown")
@click.pass_context
def command(
    ctx: click.Context,
    run: Path | None,
    budget: Path | None,
    baseline: Path | None,
    update: bool,
    counted: Counted,
    github: bool,
    form: str,
) -> None:
    """Check a run against a budget or a baseline.

    The budget stands in [tool.whyjit.budget] of pyproject.toml. The exit status is 1 where a limit is exceeded, and the
    call that exceeded it is named, with the reason. RUN is a run's folder or a folder of runs, whose newest is meant;
    left out, the newest in .whyjit.

    \b
    whyjit check
    whyjit check --baseline baseline.toml --update
    whyjit check --baseline baseline.toml
    """  # noqa: D301 - \b is for click
    if update and baseline is None:
        raise click.UsageError("--update needs the baseline to write: --baseline FILE")
    if update and budget is not None:
        raise click.UsageError("--update accepts a run as it is; leave --budget out")
    if update and baseline is not None:
        _update(run, baseline, counted)
        return
    found, verdict, against = _judged(run, budget, baseline, counted)
    from whyjit.present import compose

    document = compose.check(verdict, against=against)
    if form == "terminal":
        common.print_document(document)
    else:
        common.write(_text(found, verdict, document, form, against, counted))
    if github:
        _tell_github(verdict, document)
    if not verdict.kept:
        ctx.exit(1)


def _judged(
    run: Path | None, budget: Path | None, baseline: Path | None, counted: Counted
) -> tuple[WholeRun, Verdict, str]:
    """The run with the verdict on it, and the name of what it was held to."""
    from whyjit.guards import baselines, budgets
    from whyjit.model.budget import Verdict

    given = None if budget is None and baseline is not None else budgets.find(budget)
    if given is None and baseline is None:
        raise WhyjitError(
            "there is no budget: add [tool.whyjit.budget] with a limit such as max_compiles = 20 to pyproject.toml,"
            " or name a file with --budget or --baseline"
        )
    known = baselines.read(baseline) if baseline is not None else ()
    found = _whole(run)
    verdicts: list[Verdict] = []
    every = _held(found, counted)
    if given is not None:
        from whyjit.analyse.budget import check

        verdicts += _named(every, [check(held.report, given[0], held.first_calls, held.origin) for held in every])
    if baseline is not None:
        from whyjit.analyse.baseline import compare

        verdicts += _named(every, [compare(held.report, known, str(baseline), held.origin) for held in every])
    names = [f"the budget in {given[1].name}"] if given is not None else []
    names += [f"the baseline {baseline.name}"] if baseline is not None else []
    return found, _together([*verdicts, Verdict(notes=tuple(_notes(found, counted)))]), " and ".join(names)


def _whole(run: Path | None) -> WholeRun:
    from whyjit import settings
    from whyjit.store import reader
    from whyjit.whole_runs import whole_run

    return whole_run(reader.find_run(run, settings.load().out))


class _Held(NamedTuple):
    """What is held to the limits: all of a run, or one process of several, with its name."""

    report: Report
    first_calls: FirstCalls | None
    origin: Origin | None = None
    name: str = ""


def _held(found: WholeRun, counted: Counted) -> list[_Held]:
    from whyjit.analyse.merging import names

    first = found.reports[0]
    if len(found.reports) == 1 or counted == "first":
        return [_Held(first, _first_calls(found.files[0], first))]
    if counted == "together":
        merged = found.merged()
        return [_Held(merged.report, _merged_first_calls(found, merged), merged.origin)]
    named = names([report.environment for report in found.reports])
    return [
        _Held(report, _first_calls(file, report), _in(name), name)
        for file, report, name in zip(found.files, found.reports, named, strict=True)
    ]


def _in(name: str) -> Origin:
    return lambda _, number: (name, number)


def _named(every: Sequence[_Held], verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
    """The verdicts, each naming its process where that is needed to understand it."""
    common = set.intersection(*(set(verdict.notes) for verdict in verdicts))
    for held, verdict in zip(every, verdicts, strict=True):
        if not held.name:
            yield verdict
            continue
        breaches = tuple(
            each if each.process else structs.replace(each, text=f"{held.name}: {each.text}", process=held.name)
            for each in verdict.breaches
        )
        notes = tuple(note if note in common else f"{held.name}: {note}" for note in verdict.notes)
        yield structs.replace(verdict, breaches=breaches, notes=notes)


def _notes(found: WholeRun, counted: Counted) -> Iterator[str]:
    """How several processes were counted."""
    count = len(found.reports)
    if count > 1 and counted == "together":
        each = "`--processes each` holds each to the limits by itself"
        yield f"the {count:,} processes of the run are counted together; {each}"
    elif count > 1 and counted == "each":
        yield f"each of the {count:,} processes of the run is held to the limits by itself"
    elif count > 1:
        others = "1 other process was" if count == 2 else f"{count - 1:,} other processes were"
        yield f"one process of the run is judged: {others} recorded and left out, since `--processes first` asks for it"
    for fault in found.unreadable:
        yield f"left out: {fault.message}"


def _together(verdicts: list[Verdict]) -> Verdict:
    from whyjit.model.budget import Verdict

    return Verdict(
        tuple(breach for verdict in verdicts for breach in verdict.breaches),
        tuple(dict.fromkeys(text for verdict in verdicts for text in verdict.unjudged)),
        tuple(dict.fromkeys(text for verdict in verdicts for text in verdict.notes)),
        sum(verdict.checked for verdict in verdicts),
    )


def _first_calls(file: Path, report: Report) -> FirstCalls | None:
    """Where calls were recorded: which call of a function made each of its specializations."""
    if any(gap.what == "hits" or gap.what.startswith("rows") for gap in report.gaps):
        return None
    from whyjit.analyse.budget import first_calls
    from whyjit.store import reader

    return lambda function: first_calls(reader.rows(file, function))


def _merged_first_calls(found: WholeRun, merged: Merged) -> FirstCalls | None:
    """The same for several processes: a call's number is that in its own process."""
    each = [_first_calls(file, report) for file, report in zip(found.files, found.reports, strict=True)]
    if None in each:
        return None

    def numbers(function: int) -> dict[int, int]:
        return {
            number + member.shift: call
            for member in merged.members[function]
            if (known := each[member.process]) is not None
            for number, call in known(member.function).items()
        }

    return numbers


def _update(run: Path | None, baseline: Path, counted: Counted) -> None:
    from whyjit.analyse.baseline import counts
    from whyjit.guards import baselines

    found = _whole(run)
    if counted == "each" and len(found.reports) > 1:
        raise click.UsageError(
            "a baseline holds one count for a function; update it with --processes together or first"
        )
    known = counts(_held(found, counted)[0].report)
    common.write_file(baseline, baselines.text(known, baseline))
    for note in _notes(found, counted):
        click.echo(f"whyjit: {note}", err=True)
    click.echo(f"whyjit: {baseline} holds the counts of {len(known):,} functions now", err=True)


def _text(found: WholeRun, verdict: Verdict, document: Document, form: str, against: str, counted: Counted) -> str:
    if form == "markdown":
        from whyjit.present import markdown

        return markdown.render(document)
    from whyjit.present.check_json import verdict_dict
    from whyjit.present.json import dumps

    directory = found.reports[0].environment.directory
    count = len(found.reports)
    return dumps(verdict_dict(verdict, against=against, directory=directory, processes=count, counted=counted))


def _tell_github(verdict: Verdict, document: Document) -> None:
    """Annotations go to standard error, which a workflow reads as well, so that JSON on standard output stays JSON."""
    from whyjit.present import markdown
    from whyjit.present.check_json import workflow_commands

    root = os.environ.get("GITHUB_WORKSPACE", "") or str(Path.cwd())
    click.echo(workflow_commands(verdict, directory=root), err=True, nl=False)
    summary = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(markdown.render(document) + "\n")
    except OSError as fault:
        raise WhyjitError(f"cannot write the step summary {summary}: {fault.strerror}") from fault
