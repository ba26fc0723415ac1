"""`whyjit compare`: two runs beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from whyjit.cli import common

if TYPE_CHECKING:
    from whyjit.comparing import Compared


@click.command()
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(("terminal", "json", "html", "markdown")), default="terminal",
    show_default=True, help="What to print.",
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write a file instead of printing."
)
def command(before: Path, after: Path, form: str, output: Path | None) -> None:
    """Compare two runs: what tracing and compiling cost BEFORE and AFTER, by function and cause.

    BEFORE and AFTER are runs' folders, folders of runs, whose newest is meant, or files of recordings. Functions are
    matched by name and file, not by line; a file that was renamed is recognised by the functions in it.
    """
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
            return msgspec.json.format(msgspec.json.encode(compared.report()), indent=2).decode() + "\n"
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
