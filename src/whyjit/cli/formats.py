"""A report in each of its formats."""

from __future__ import annotations

import linecache
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from whyjit.errors import WhyjitError
from whyjit.model.finding import Report
from whyjit.whole_runs import beside, whole_run

if TYPE_CHECKING:
    from whyjit.analyse.processes import Together

FORMATS = ("terminal", "json", "html", "markdown", "perfetto", "sarif")


def check(name: str) -> None:
    """Refuse a format that needs a package which is missing, before any work is done for it."""
    if name == "perfetto":
        from whyjit.present import perfetto

        perfetto.require()


def text(report: Report, name: str, *, run: Path, file: Path, where: str) -> str | bytes:
    """The report in a format.

    Arguments:
      report: the analysis of a recording.
      name: one of `FORMATS`.
      run: the run's folder, for what all of its processes did.
      file: the recording that the report was made from.
      where: the run as it is named to people.
    """
    match name:
        case "terminal":
            from whyjit.present import compose, terminal

            return terminal.render(compose.report(report, where=where, together=beside(run)), width=100)
        case "json":
            return json_text(report, beside(run))
        case "markdown":
            from whyjit.present import compose, markdown

            return markdown.render(compose.report(report, where=where, together=beside(run)))
        case "html":
            return html_text(report, file, beside(run))
        case "sarif":
            return _sarif_text(report, run)
        case "perfetto":
            return _perfetto_bytes(run)
        case _:
            raise WhyjitError(f"there is no format {name}; choose from: {', '.join(FORMATS)}")


def json_text(report: Report, together: Together | None = None) -> str:
    """The report as JSON (format `whyjit`), a key on each line."""
    from whyjit.present.json import dumps, report_dict

    return dumps(report_dict(report, together))


def html_text(report: Report, file: Path, together: Together | None = None) -> str:
    """The report as one HTML file, with the rows and programs of its recording."""
    from whyjit.cli import pages
    from whyjit.present import html
    from whyjit.store import contents

    return html.render(
        report,
        ledger=contents.ledger(file),
        rows_at=partial(contents.rows_at, file),
        program_of=partial(contents.program, file),
        source_of=linecache.getline,
        page_of=pages.markdown,
        together=together,
    )


def _sarif_text(report: Report, run: Path) -> str:
    """The findings of all processes of the run."""
    import whyjit
    from whyjit.cli import pages
    from whyjit.present import sarif
    from whyjit.store.runs import files

    if len(files(run)) > 1:
        report = whole_run(run).merged().report
    return sarif.render(report, page_of=pages.markdown, version=str(whyjit.__version__))


def _perfetto_bytes(run: Path) -> bytes:
    """All processes of the run as one trace."""
    from whyjit.analyse.explain import explain
    from whyjit.present import perfetto
    from whyjit.store import contents, reader
    from whyjit.store.runs import files

    first = reader.main_file(run)
    recordings = [first, *(file for file in files(run) if file != first)]
    return perfetto.render(
        [perfetto.Process(explain(contents.load(file)), contents.ledger(file)) for file in recordings]
    )
