"""The page of each code: what happened, why, an example, what to do, and when to leave it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyjit.analyse.page import Page
    from whyjit.present.document import Block, Document, Text


def markdown(code: str) -> str | None:
    """A code's page as Markdown, None for a code without one."""
    from whyjit.analyse.pages import page
    from whyjit.present.markdown import render

    found = page(code)
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


def _prose(text: str) -> Text:
    """Text whose parts in backticks are code."""
    from whyjit.present.document import Span

    parts = text.split("`")
    return tuple(Span(part, "quoted" if place % 2 else "plain") for place, part in enumerate(parts) if part)
