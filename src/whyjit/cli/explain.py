"""`whyjit explain`: what a code means."""

from __future__ import annotations

import click

from whyjit.cli import common


@click.command()
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain the CODE of a finding or an error; without one, list all codes."""
    from whyjit.cli import pages

    common.print_document(pages.index() if code is None else pages.document(pages.page(code)))
