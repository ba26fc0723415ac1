"""Terminal output: it never overflows, never lets control characters through, and drops columns in order."""

import present_samples as samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from whyjit.present import compose, terminal
from whyjit.present.document import (
    Callout,
    Code,
    CodeLine,
    Column,
    Document,
    KeyValues,
    Listing,
    Mark,
    Paragraph,
    Part,
    Share,
    Span,
    Table,
    TableRow,
)
from whyjit.present.terminal.columns import fit


def say(text, role="plain"):
    return (Span(text, role),)


def show(*blocks, width=60, **more):
    return terminal.render(Document("t", blocks), width=width, **more)


@pytest.mark.parametrize("width", [40, 60, 61, 80, 119, 120, 160, 200])
@pytest.mark.parametrize("built", [samples.digits, samples.many, samples.hostile, samples.flips, samples.failed])
def test_no_line_is_wider_than_the_terminal(built, width):
    made = built()
    first = made.report.functions[0]
    documents = [
        compose.summary(made.report),
        compose.report(made.report),
        compose.why(first, full=True),
        compose.ledger(first, made.rows.get(1, [])),
        compose.program_difference(samples.program(), samples.program(3, "0.5", extra=True)),
        *(compose.failure(failure) for failure in made.report.failures),
    ]
    for document in documents:
        lines = terminal.render(document, width=width).split("\n")
        assert [line for line in lines if cell_len(line) > width] == []


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=90), min_size=9, max_size=9), st.integers(40, 100))
def test_any_text_fits_and_is_harmless(texts, width):
    texts = [
        say(text, role)
        for text, role in zip(texts, ["path", "name", "plain", "code", "quoted", *["dim"] * 4], strict=True)
    ]
    columns = (Column("a"), Column("b", "right", 1), Column("c", wrap=True), Column("d", priority=2))
    blocks = (
        Callout("warn", texts[0], (texts[1],)),
        Table(columns, (TableRow(tuple(texts[:4]), (texts[4],)),)),
        KeyValues(((texts[5], texts[6]),)),
        Listing((texts[7],)),
        Code((CodeLine(texts[8][0].text, 3, (Mark(1, 5, "bad", under=True),)),)),
    )
    text = show(*blocks, width=width)
    assert [line for line in text.split("\n") if cell_len(line) > width] == []
    assert all(line.isprintable() for line in text.split("\n") if line.isascii())
    text.encode()


def test_escape_sequences_of_the_program_are_shown_and_not_obeyed():
    text = show(Paragraph(say("\x1b[31mred\x07\u202eevil\udc80")))
    assert text == "\\x1b[31mred\\x07\\u202eevil\\udc80\n"


def test_colour_only_when_asked_for():
    block = Paragraph(say("bad", "bad"))
    assert "\x1b" not in show(block)
    assert "\x1b[1;31mbad" in show(block, color=True)


def test_without_unicode_only_ascii_signs_are_used():
    text = show(Share((Part("trace", 1.0, "path"), Part("lower", 1.0, "code")), 4.0), unicode=False)
    assert text.isascii()
    assert text.startswith("##")


def test_code_in_prose_keeps_its_backticks():
    assert show(Paragraph((Span("pass "), Span("eta", "quoted")))) == "pass `eta`\n"


def test_a_number_and_its_unit_stay_on_one_line():
    text = show(Paragraph(say("x" * 55 + " 9.8 s of it")), width=60)
    assert text == "x" * 55 + "\n9.8 s of it\n"


def test_a_path_is_cut_at_its_beginning():
    columns = (Column("where"), Column("n", "right"))
    row = TableRow((say("a/very/long/path/to/some/module/train.py:31", "path"), say("1")))
    assert show(Table(columns, (row,)), width=40).split("\n")[1] == "  …ng/path/to/some/module/train.py:31  1"


def test_carets_stand_under_what_is_marked_when_tabs_and_wide_characters_come_before():
    line = CodeLine("\tif 名 > 0:", 7, (Mark(4, 9, "bad", under=True),))
    code, carets = show(Code((line,))).rstrip("\n").split("\n")
    assert code == "  7 │     if 名 > 0:"
    assert carets == "    │        ^^^^^^"


def test_a_long_line_is_shown_around_its_mark():
    text = "x" * 200 + "HERE" + "y" * 200
    shown = show(Code((CodeLine(text, 1, (Mark(200, 204, "bad", under=True),)),)), width=60)
    code, carets = shown.rstrip("\n").split("\n")
    assert code.index("HERE") == carets.index("^^^^")


def test_columns_go_in_the_order_of_their_priority():
    columns = [Column("a"), Column("b", priority=3), Column("c", priority=1), Column("d", "right", 2)]
    natural = [10, 10, 10, 10]
    assert fit(columns, natural, 46) == [10, 10, 10, 10]
    assert fit(columns, natural, 45) == [10, 0, 10, 10]
    assert fit(columns, natural, 33) == [10, 0, 10, 0]
    assert fit(columns, natural, 12) == [10, 0, 0, 0]


def test_what_was_dropped_is_said():
    columns = (Column("kept"), Column("dropped", "right", priority=1))
    text = show(Table(columns, (TableRow((say("x" * 30), say("1" * 30))),)), width=40)
    assert text.endswith("not shown at this width: dropped\n")
