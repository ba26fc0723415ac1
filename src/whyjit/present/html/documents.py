"""A document as HTML: a page of its own, or a piece of a notebook. No script is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from markupsafe import Markup

from whyjit.present.clean import clean
from whyjit.present.document import Callout, Table
from whyjit.present.html.assets import fragment_style, page_style, template
from whyjit.present.html.blocks import Painter
from whyjit.present.html.pages import page_html

if TYPE_CHECKING:
    from whyjit.present.document import Document, Text

PageOf = Callable[[str], str | None]


def page(document: Document, *, subtitle: str = "", page_of: PageOf | None = None) -> str:
    """A document as one HTML file. `page_of` gives the page of a code as Markdown; those in the document go with it."""
    codes = dict.fromkeys(span.page for text in _texts(document) for span in text if span.page)
    pages = {code: text for code in codes if page_of is not None and (text := page_of(code))}
    made: str = template("document.html.jinja").render(
        title=clean(document.title),
        subtitle=clean(subtitle),
        content=Painter(pages).blocks(document.blocks),
        pages=[(code, page_html(text)) for code, text in pages.items()],
        style=Markup(page_style()),  # noqa: S704  ours
    )
    return made


def fragment(document: Document, whole: Document | None = None) -> str:
    """A document as a piece of HTML for a notebook, with its style sheet; `whole` is a longer one, folded below it.

    It stands alone: nothing is loaded, no script runs, and it is dark where the notebook is. The rules of the style
    sheet name its class, so that they hold for it and for nothing else in the notebook.
    """
    painter = Painter()
    style = Markup("<style>{}</style>").format(Markup(fragment_style()))  # noqa: S704  ours
    folded = (
        Markup("<details><summary>{}</summary>{}</details>").format("everything", painter.blocks(whole.blocks))
        if whole is not None
        else ""
    )
    return Markup('<div class="whyjit fragment">{}{}{}</div>').format(style, painter.blocks(document.blocks), folded)


def _texts(document: Document) -> Iterator[Text]:
    """The texts that may point to a page."""
    for block in document.blocks:
        if isinstance(block, Callout):
            yield from (block.text, *block.details)
        elif isinstance(block, Table):
            for row in block.rows:
                yield from (*row.cells, *row.details)
