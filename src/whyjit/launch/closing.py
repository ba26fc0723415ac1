"""The last words of a run, said by a process of their own: an error explained, the summary, the report's files."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from whyjit.errors import WhyjitError
from whyjit.launch import variables

if TYPE_CHECKING:
    from whyjit.model.failure import Failure


def main() -> None:
    """Print to standard error, and write the files asked for, as the environment's plan says."""
    plan = variables.read(os.environ)
    if plan is None:
        return
    try:
        _record_absence(plan)
        _note_sources(plan)
        _report(plan, _explain_failure(plan))
    except WhyjitError as fault:
        sys.stderr.write(f"whyjit: {fault.message}\n")
    except BrokenPipeError:
        # Nobody reads on. Python must not complain about it while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    except KeyboardInterrupt:
        return
    except Exception as fault:  # noqa: BLE001 - a fault of whyjit's own, below the output of a program that has none
        reason = " ".join(f"{type(fault).__name__}: {fault}".split())
        sys.stderr.write(f"whyjit: no summary ({reason}); see it whole with: whyjit report {_shown(plan.folder)}\n")


def _record_absence(plan: variables.Plan) -> None:
    """A program without a recording gets one that says why. Arguments: when it began, the reason, and its own."""
    from whyjit.store import runs

    folder = Path(plan.folder)
    if runs.files(folder):
        return
    from whyjit.model.batch import Batch
    from whyjit.model.recording import Environment, Gap
    from whyjit.store.writer import Writer

    started, reason, *arguments = sys.argv[1:]
    environment = Environment(
        python=".".join(str(number) for number in sys.version_info[:3]),
        jax="",
        jaxlib="",
        platform="",
        argv=tuple(arguments),
        directory=str(Path.cwd()),
        pid=plan.main,
        started=float(started),
    )
    gap = Gap("JAX", reason)
    writer = Writer.create(folder, environment)
    writer.write(Batch(environment, gaps=(gap,), seconds=time.time() - environment.started, final=True))
    writer.close()


def _note_sources(plan: variables.Plan) -> None:
    """Store what the user's source files are, for `whyjit fix` to know them again."""
    from whyjit.store import runs, sources

    for file in runs.files(Path(plan.folder)):
        sources.note(file)


def _explain_failure(plan: variables.Plan) -> Failure | None:
    """Say why the program ended with an error, if it was one of tracing; what was said need not be said again."""
    from whyjit.store import reader

    folder = Path(plan.folder)
    failure = reader.uncaught(folder)
    if failure is not None:
        from whyjit.cli import common
        from whyjit.present import failure_text

        directory = reader.load(folder).environment.directory
        common.write("\n" + failure_text.render(failure, directory), sys.stderr)
    return failure


def _report(plan: variables.Plan, told: Failure | None) -> None:
    if plan.quiet and not plan.json and not plan.html:
        return
    from whyjit.analyse.explain import explain
    from whyjit.cli import common, formats
    from whyjit.present import compose
    from whyjit.store import reader
    from whyjit.store.earlier import earlier_recordings
    from whyjit.whole_runs import beside

    file = _own_file(plan) or reader.main_file(Path(plan.folder))
    recording = reader.load(file)
    report = explain(recording, earlier_recordings(Path(plan.folder), recording))
    # Each of the processes of one computation comes here: only what is to be said is worth reading them all.
    tells = not plan.quiet and not (plan.joined and recording.environment.process_index)
    together = beside(Path(plan.folder)) if tells or plan.json or plan.html else None
    if plan.json:
        common.write_file(Path(plan.json), formats.json_text(report, together))
    if plan.html:
        common.write_file(Path(plan.html), formats.html_text(report, file, together))
    if tells:
        sys.stderr.write("\n")
        where = str(_shown(plan.folder))
        common.print_document(compose.summary(report, where=where, told=told, together=together), sys.stderr)


def _own_file(plan: variables.Plan) -> Path | None:
    """The recording of this process, where others that it did not start record into the same folder."""
    from whyjit.store import runs

    own = [file for file in runs.files(Path(plan.folder)) if file.name.startswith(f"{plan.main}-")]
    return max(own, key=lambda file: file.stat().st_mtime) if plan.joined and own else None


def _shown(folder: str) -> Path:
    """The run's folder as a person would write it here."""
    here, path = Path.cwd(), Path(folder)
    return path.relative_to(here) if path.is_relative_to(here) else path
