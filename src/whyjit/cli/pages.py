"""The page of each code: what happened, why, an example, what to do, and when to leave it alone."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from whyjit.analyse.page import Page
    from whyjit.present.document import Block, Document, Text


def all_pages() -> dict[str, Page]:
    """Every page by its code: those of findings, then those of errors."""
    from whyjit.analyse.failure import PAGES
    from whyjit.analyse.findings import RULES

    return {rule.PAGE.code: rule.PAGE for rule in RULES} | PAGES


def page(code: str) -> Page:
    """The page of a code. Its words may be joined in another way, if only one code has them."""
    pages = all_pages()
    if code in pages:
        return pages[code]
    wanted = code.lower().replace("_", "-").replace(" ", "-")
    if wanted not in pages:
        near = difflib.get_close_matches(wanted, pages, 3, 0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else "list the codes with: whyjit explain"
        raise WhyjitError(f"there is no code {code}; {hint}")
    return pages[wanted]


def markdown(code: str) -> str | None:
    """A code's page as Markdown, None for a code without one."""
    from whyjit.present.markdown import render

    found = all_pages().get(code)
    return render(document(found)) if found else None


def document(page: Page) -> Document:
    """A page to read."""
    from whyjit.present.document import Code, CodeLine, Document, Heading, Paragraph, Span

    def headed(title: str, text: str) -> list[Block]:
        return [Heading((Span(title),)), Paragraph(_prose(text))]

    def example(title: str, source: str) -> list[Block]:
        return [Heading((Span(title),)), Code(tuple(CodeLine(line) for line in source.rstrip("\n").split("\n")))]

    blocks: list[Block] = [Heading((Span(f"{page.code}: {page.title}"),), 1), Paragraph(_prose(page.what))]
    blocks += headed("Why", page.why)
    if page.before is not None:
        blocks += example("Example", page.before.source)
    blocks += headed("What to do", page.todo)
    if page.after is not None:
        blocks += example("Better", page.after.source)
    blocks += headed("When to ignore it", page.ignore)
    return Document(page.code, tuple(blocks))


def index() -> Document:
    """All codes with their titles."""
    from whyjit.present.document import Document, KeyValues, Span

    items = tuple(((Span(code, "name"),), (Span(page.title),)) for code, page in all_pages().items())
    return Document("codes", (KeyValues(items),))


def _prose(text: str) -> Text:
    """Text whose parts in backticks are code."""
    from whyjit.present.document import Span

    parts = text.split("`")
    return tuple(Span(part, "quoted" if place % 2 else "plain") for place, part in enumerate(parts) if part)
