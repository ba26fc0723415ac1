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
    """Explain the CODE of a finding, of a kind of cause, or of an error; without one, list all codes."""
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
    from whyjit.present.document import Document, KeyValues, Span

    found = [page for code in pages.codes() if (page := pages.page(code)) is not None]
    return Document("codes", (KeyValues(tuple(((Span(page.code, "name"),), (Span(page.title),)) for page in found)),))
