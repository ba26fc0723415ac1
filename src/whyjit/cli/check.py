"""`whyjit check`: a run against its budget."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from whyjit.cli import common
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.analyse.budget import FirstCalls
    from whyjit.model.budget import Verdict
    from whyjit.present.document import Document


@click.command()
@common.run_argument
@click.option(
    "--budget", metavar="FILE", type=click.Path(path_type=Path),
    help="Take the budget from FILE (TOML) in place of the nearest pyproject.toml.",
)  # fmt: skip
@click.option(
    "--baseline", metavar="FILE", type=click.Path(path_type=Path),
    help="Compare each function's counts with those in FILE, instead of with a budget.",
)  # fmt: skip
@click.option("--update", is_flag=True, help="Write this run's counts to the baseline.")
@click.option("--github", is_flag=True, help="Also print annotations for GitHub, and write the job's summary.")
@click.option(
    "--format", "form", type=click.Choice(("terminal", "json", "markdown")), default="terminal", show_default=True,
    help="What to print.",
)  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context,
    run: Path | None,
    budget: Path | None,
    baseline: Path | None,
    update: bool,
    github: bool,
    form: str,
) -> None:
    """Check a run against a budget: exit status 1, with the call and the reason, where it is exceeded.

    The budget stands in [tool.whyjit.budget] of pyproject.toml. RUN is a run's folder or a folder of runs, whose newest
    is meant; left out, the newest in .whyjit.
    """
    if update and baseline is None:
        raise click.UsageError("--update needs the baseline to write: --baseline FILE")
    if update and budget is not None:
        raise click.UsageError("--update accepts a run as it is; leave --budget out")
    if update and baseline is not None:
        _update(run, baseline)
        return
    found, verdict, against = _judged(run, budget, baseline)
    directory = found.report.environment.directory
    from whyjit.present import compose

    document = compose.check(verdict, against=against)
    if form == "terminal":
        common.print_document(document)
    else:
        common.write(_text(verdict, document, form, against, directory))
    if github:
        _tell_github(verdict, document)
    if not verdict.kept:
        ctx.exit(1)


def _judged(run: Path | None, budget: Path | None, baseline: Path | None) -> tuple[common.Analysed, Verdict, str]:
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
    found = common.analysed(run)
    names: list[str] = []
    verdicts: list[Verdict] = []
    if given is not None:
        from whyjit.analyse.budget import check

        verdicts.append(check(found.report, given[0], _first_calls(found)))
        names.append(f"the budget in {given[1].name}")
    if baseline is not None:
        from whyjit.analyse.baseline import compare

        verdicts.append(compare(found.report, known, str(baseline)))
        names.append(f"the baseline {baseline.name}")
    if others := _others(found):
        verdicts.append(Verdict(notes=(others,)))
    return found, _together(verdicts), " and ".join(names)


def _others(found: common.Analysed) -> str:
    """A word on the run's other processes, which have recordings of their own."""
    from whyjit.store.runs import files

    others = [str(file) for file in files(found.run) if file != found.file]
    if not others:
        return ""
    count = (
        "1 other process of this run was" if len(others) == 1 else f"{len(others):,} other processes of this run were"
    )
    return f"{count} recorded and not judged; check one by its file, such as {others[0]}"


def _together(verdicts: list[Verdict]) -> Verdict:
    from whyjit.model.budget import Verdict

    return Verdict(
        tuple(breach for verdict in verdicts for breach in verdict.breaches),
        tuple(text for verdict in verdicts for text in verdict.unjudged),
        tuple(dict.fromkeys(text for verdict in verdicts for text in verdict.notes)),
        sum(verdict.checked for verdict in verdicts),
    )


def _first_calls(found: common.Analysed) -> FirstCalls | None:
    """Where calls were recorded: which call of a function made each of its specializations."""
    if any(gap.what == "hits" or gap.what.startswith("rows") for gap in found.report.gaps):
        return None
    from whyjit.analyse.budget import first_calls
    from whyjit.store import reader

    return lambda function: first_calls(reader.rows(found.file, function))


def _update(run: Path | None, baseline: Path) -> None:
    from whyjit.analyse.baseline import counts
    from whyjit.guards import baselines

    known = counts(common.analysed(run).report)
    common.write_file(baseline, baselines.text(known, baseline))
    click.echo(f"whyjit: {baseline} holds the counts of {len(known):,} functions now", err=True)


def _text(verdict: Verdict, document: Document, form: str, against: str, directory: str) -> str:
    if form == "markdown":
        from whyjit.present import markdown

        return markdown.render(document)
    from whyjit.present.check_json import verdict_dict

    data = verdict_dict(verdict, against=against, directory=directory)
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode() + "\n"


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
