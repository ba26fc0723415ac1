"""`whyjit check`: a run against its budget."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.cli import common
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.checking import Counted
    from whyjit.model.budget import Verdict
    from whyjit.present.document import Document
    from whyjit.whole_runs import WholeRun


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
    from whyjit import checking
    from whyjit.guards import baselines, budgets

    given = None if budget is None and baseline is not None else budgets.find(budget)
    if given is None and baseline is None:
        raise WhyjitError(
            "there is no budget: add [tool.whyjit.budget] with a limit such as max_compiles = 20 to pyproject.toml,"
            " or name a file with --budget or --baseline"
        )
    known = None if baseline is None else (baselines.read(baseline), str(baseline))
    found = _whole(run)
    verdict = checking.judge(found, counted, budget=None if given is None else given[0], baseline=known)
    names = [f"the budget in {given[1].name}"] if given is not None else []
    names += [f"the baseline {baseline.name}"] if baseline is not None else []
    return found, verdict, " and ".join(names)


def _whole(run: Path | None) -> WholeRun:
    from whyjit import settings
    from whyjit.store import reader
    from whyjit.whole_runs import whole_run

    return whole_run(reader.find_run(run, settings.load().out))


def _update(run: Path | None, baseline: Path, counted: Counted) -> None:
    from whyjit import checking
    from whyjit.guards import baselines

    found = _whole(run)
    if counted == "each" and len(found.reports) > 1:
        raise click.UsageError(
            "a baseline holds one count for a function; update it with --processes together or first"
        )
    known = checking.counts(found, counted)
    common.write_file(baseline, baselines.text(known, baseline))
    for note in checking.notes(found, counted):
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
