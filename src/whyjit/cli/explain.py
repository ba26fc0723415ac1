"""`whyjit explain`: what a code means."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from whyjit.cli import common

if TYPE_CHECKING:
    from whyjit.present.document import Document


@click.command()
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain a code: a finding, a kind of cause, or an error.

    Without one, all codes are listed.

    \b
    whyjit explain shape-churn
    """  # noqa: D301 - \b is for click
    from whyjit.analyse import pages
    from whyjit.cli.pages import document
    from whyjit.errors import WhyjitError

    if code is None:
        common.print_document(_index())
        return
    page = pages.page(code)
    if page is None:
        near = difflib.get_close_matches(code.lower(), pages.codes(), 3, 0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "list the codes with: whyjit explain"
        raise WhyjitError(f"there is no code {code}; {hint}")
    common.print_document(document(page))


def _index() -> Document:
    """All codes with their titles."""
    from whyjit.analyse import pages
    from whyjit.present.document import Block, Document, Heading, KeyValues, Span

    blocks: list[Block] = []
    for title, group in pages.groups().items():
        lines = tuple(((Span(page.code, "name"),), (Span(page.title),)) for page in group)
        blocks += [Heading((Span(title),)), KeyValues(lines)]
    return Document("codes", tuple(blocks))
