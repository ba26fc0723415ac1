"""Markdown says the same thing after it went through a Markdown parser."""

import re

import present_samples as samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from whyjit.present import compose, markdown
from whyjit.present.clean import clean
from whyjit.present.document import Code, CodeLine, Column, Document, Paragraph, Span, Table, TableRow

PARSER = MarkdownIt("commonmark").enable("table")


def shown(html):
    """The text of some HTML, as a reader sees it."""
    text = re.sub(r"<[^>]+>", "", html)
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return text


@settings(max_examples=300, deadline=None)
@given(st.text(min_size=1, max_size=40), st.sampled_from(["plain", "dim", "code", "quoted"]))
def test_any_text_arrives_as_it_is(text, role):
    html = PARSER.render(markdown.render(Document("t", (Paragraph((Span("a "), Span(text, role), Span(" z"))),))))
    assert "<script" not in html
    assert " ".join(shown(html).split()) == " ".join(f"a {clean(text)} z".split())


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1, max_size=40).filter(lambda text: clean(text).strip()))
def test_any_text_stays_in_its_cell(text):
    row = TableRow(((Span(text),), (Span(f"x{text}x", "code"),), (Span("last"),)))
    table = Table((Column("a"), Column("b"), Column("c")), (row,))
    html = PARSER.render(markdown.render(Document("t", (table,))))
    assert html.count("<td>") == 3
    assert "<td>last</td>" in html


def test_code_with_fences_inside_stays_code():
    html = PARSER.render(
        markdown.render(
            Document(
                "t",
                (
                    Code(
                        (CodeLine("```"), CodeLine("<b>")),
                    ),
                ),
            )
        )
    )
    assert html == '<pre><code class="language-text">```\n&lt;b&gt;\n</code></pre>\n'


@pytest.mark.parametrize("built", [samples.hostile, samples.digits])
def test_no_markup_of_the_program_gets_through(built):
    report = built().report
    html = PARSER.render(markdown.render(compose.report(report)))
    assert "<script" not in html
    assert "href" not in html
