"""`whyjit compare`: two runs beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whyjit.cli import common

if TYPE_CHECKING:
    from whyjit.comparing import Compared


@click.command()
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@common.format_option("terminal", "json", "html", "markdown")
@common.output_option
def command(before: Path, after: Path, form: str, output: Path | None) -> None:
    """Compare two runs: before and after a change.

    Traces, compiles and seconds are compared by function and cause, and findings that are gone or new are named. BEFORE
    and AFTER are runs' folders, folders of runs, whose newest is meant, or files of recordings. Functions are matched
    by name and file, not by line; a file that was renamed is recognised by the functions in it.

    \b
    whyjit run --out runs/before train.py
    whyjit run --out runs/after train.py
    whyjit compare runs/before runs/after
    """  # noqa: D301 - \b is for click
    from whyjit.comparing import compare

    compared = compare(before, after)
    if form == "terminal" and output is None:
        common.print_document(compared.document())
        return
    common.hand_over(_text(compared, form), output)


def _text(compared: Compared, form: str) -> str:
    match form:
        case "terminal":
            return str(compared)
        case "json":
            from whyjit.present.json import dumps

            return dumps(compared.report())
        case "markdown":
            from whyjit.present import markdown

            return markdown.render(compared.document())
        case _:
            from whyjit.cli import pages
            from whyjit.present import html

            sides = compared.comparison.before, compared.comparison.after
            commands = dict.fromkeys(" ".join(side.environment.argv) for side in sides)
            return html.page(
                compared.document(), subtitle=" \N{RIGHTWARDS ARROW} ".join(commands), page_of=pages.markdown
            )
