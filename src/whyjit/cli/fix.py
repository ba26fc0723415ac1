"""`whyjit fix`: the patches of a run's advice, shown or applied."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.cli import common
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.model.advice import Advice
    from whyjit.model.recording import Environment
    from whyjit.rewrite.advisers import Context
    from whyjit.rewrite.fixing import Done, Plan


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--diff", "apply", flag_value=False, default=False, help="Show the patch and change nothing (the default)."
)
@click.option("--apply", "apply", flag_value=True, help="Change the files.")
@click.option("--tested", is_flag=True, help="Take patches that were tested, too, not those alone that are proven.")
@click.option("--verify-run", is_flag=True, help="After --apply, run the recorded command again and compare.")
@click.option(
    "--run", "run", metavar="RUN", type=click.Path(path_type=Path), help="The run; left out, the newest in .whyjit."
)
@common.function_option
@common.trial_timeout_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    apply: bool,
    tested: bool,
    verify_run: bool,
    run: Path | None,
    function: str | None,
    timeout: float,
) -> None:
    """Show or apply the patches of whyjit advise.

    They are those for the newest run, in PATHS or everywhere; each was tried in a process of its own. Those that are
    PROVEN are taken; with --tested, those that are TESTED as well; what is merely SUGGESTED never is. A file that is
    not what was recorded is left alone. The patch goes to standard output, everything else to standard error.

    \b
    whyjit fix                      show the patch
    whyjit fix --apply              change the files; a patch to take it back is kept in the run's folder
    whyjit fix src/model.py --apply --tested --verify-run
    """  # noqa: D301 - \b is for click
    from whyjit.cli import functions
    from whyjit.rewrite import fixing
    from whyjit.rewrite.advisers import Context, Limits
    from whyjit.store import sources

    if verify_run and not apply:
        raise click.UsageError("--verify-run runs the changed program: it needs --apply")
    found = common.analysed(run)
    folder = found.file.parent
    done = fixing.in_place(folder)
    if done and not run_has_more(done, sources.read(found.file)):
        _say(f"nothing to do: the patches of {found.run} are in the files already")
        return
    only = functions.find(found.report, function).function.name if function else ""
    items, faults = _advice(Context(found.report, found.file, Path.cwd(), Limits(seconds=timeout), only))
    for fault in faults:
        _say(fault)
    made = fixing.plan(items, directory=Path.cwd(), recorded=sources.read(found.file), paths=paths, tested=tested)
    _tell(made, tested=tested)
    if not made.files:
        return
    if not apply:
        common.write("".join(one.patch for one in made.files))
        return
    patch = fixing.apply(made, folder)
    for one in made.files:
        levels = ", ".join(f"{item.kind} in {item.function} ({item.evidence})" for item in one.items)
        _say(f"changed {one.path}: {levels}")
    _say(f"to take it back: git apply -R {_shown(patch)}    or: patch -R -p1 < {_shown(patch)}")
    if verify_run:
        ctx.exit(_run_again(found.report.environment, found.run, folder))


def _advice(context: Context) -> tuple[tuple[Advice, ...], tuple[str, ...]]:
    """The advice on a run, and what went wrong in looking for it. It is kept: to show it, then to apply it is usual."""
    from whyjit.rewrite import remembered
    from whyjit.rewrite.advisers import advise

    known = remembered.recall(context)
    if known is not None:
        return known
    found = advise(context)
    remembered.keep(context, found)
    return found.items, found.faults


def run_has_more(done: tuple[Done, ...], recorded: dict[str, str]) -> bool:
    """Whether the run has source files that no patch was put into."""
    changed = {one.file for one in done}
    return any(str(Path(name).resolve()) not in changed for name in recorded)


def _tell(made: Plan, *, tested: bool) -> None:
    for skipped in made.skipped:
        _say(f"not applied, {skipped.item.kind} in {skipped.item.function}: {skipped.reason}")
    proven, more = made.others.get("PROVEN", 0), made.others.get("TESTED", 0)
    if proven:
        _say(f"{_count(proven, 'change')} proven, but with no patch: whyjit advise tells what to write")
    if more and not tested:
        _say(f"{_count(more, 'patch', 'patches')} tested, not proven: take them with --tested")
    if suggested := made.others.get("SUGGESTED", 0):
        _say(f"{_count(suggested, 'suggestion')}, to be made by hand: whyjit advise shows them")
    if not made.files:
        _say("there is nothing to apply")


def _run_again(environment: Environment, run: Path, folder: Path) -> int:
    """Run the recorded command again, and print the comparison: the exit status."""
    from whyjit.comparing import compare
    from whyjit.rewrite.subject import module_name
    from whyjit.store.kept import folder_of
    from whyjit.store.runs import files, find_run

    if not environment.argv or not environment.argv[0]:
        raise WhyjitError("the recorded command is not known; run the program again by hand")
    program = Path(environment.directory) / environment.argv[0]
    is_module = (program.parent / "__init__.py").is_file()
    name = module_name(program).removesuffix(".__main__")
    target = ["-m", name] if is_module else [environment.argv[0]]
    kept = ["--keep-arguments"] if any(folder_of(file).is_dir() for file in files(folder)) else []
    out = run.resolve().parent
    command = [sys.executable, "-m", "whyjit", "run", "-q", "--out", str(out), *kept, *target, *environment.argv[1:]]
    _say(f"running again: {' '.join([*target, *environment.argv[1:]])}")
    status = subprocess.run(command, cwd=environment.directory or None, check=False).returncode  # noqa: S603 - the user's own
    after = find_run(out)
    if status:
        _say(f"the program ended with status {status}")
    if after.resolve() == run.resolve():
        raise WhyjitError("the program was not recorded again; run it by hand, then: whyjit compare BEFORE AFTER")
    common.print_document(compare(run, after).document())
    return 1 if status else 0


def _shown(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def _say(line: str) -> None:
    click.echo(f"whyjit: {line}", err=True)
