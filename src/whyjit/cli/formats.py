"""A report in each of its formats."""

from __future__ import annotations

import importlib
import linecache
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import msgspec

from whyjit.errors import WhyjitError
from whyjit.model.finding import Report

_ALWAYS = ("terminal", "json")
FORMATS = ("terminal", "json", "html", "markdown", "perfetto", "sarif")


def check(name: str) -> None:
    """Refuse a format whose renderer this version does not have, before any work is done for it."""
    if name not in _ALWAYS:
        _renderer(name)


def text(report: Report, name: str, *, file: Path, where: str) -> str:
    """The report in a format. `file` is the recording it was made from, `where` names the run to people."""
    match name:
        case "terminal":
            from whyjit.present import compose, terminal

            return terminal.render(compose.report(report, where=where), width=100)
        case "json":
            return json_text(report)
        case "markdown":
            from whyjit.present import compose

            return _renderer(name)(compose.report(report, where=where))
        case "html":
            return html_text(report, file)
        case _:
            return _renderer(name)(report)


def json_text(report: Report) -> str:
    """The report as JSON (format `whyjit`), a key on each line."""
    from whyjit.present.json import report_dict

    return msgspec.json.format(msgspec.json.encode(report_dict(report)), indent=2).decode() + "\n"


def html_text(report: Report, file: Path) -> str:
    """The report as one HTML file, with the rows and programs of its recording."""
    from whyjit.cli import pages
    from whyjit.store import contents

    return _renderer("html")(
        report,
        rows_of=partial(contents.rows, file),
        program_of=partial(contents.program, file),
        source_of=linecache.getline,
        page_of=pages.markdown,
    )


def _renderer(name: str) -> Callable[..., str]:
    module = f"whyjit.present.{name}"
    try:
        render: Callable[..., str] = importlib.import_module(module).render
    except ModuleNotFoundError as fault:
        if fault.name != module:
            raise
        there = [form for form in FORMATS if form in _ALWAYS or find_spec(f"whyjit.present.{form}")]
        raise WhyjitError(
            f"the format {name} is not available in this version of whyjit; use {', '.join(there)}"
        ) from None
    return render
