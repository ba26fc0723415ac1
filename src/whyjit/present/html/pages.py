"""The page of a finding, from Markdown. No HTML and no script in it gets through."""

from __future__ import annotations

from markupsafe import Markup, escape


def page_html(markdown: str) -> Markup:
    """A page as HTML; where no Markdown parser is installed, its text as it is."""
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        return Markup("<pre>{}</pre>").format(escape(markdown))
    rendered = MarkdownIt("js-default", {"html": False}).render(markdown)
    return Markup(rendered)  # noqa: S704  the parser escapes all text, drops HTML, and refuses links that run code
