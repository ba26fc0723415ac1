"""The HTML report: one harmless file that holds everything, and small enough."""

import itertools
import json
import re
from html.parser import HTMLParser

import msgspec
import present_samples as samples
import pytest

from whyjit.model.recording import Row, Stage
from whyjit.model.source import Location
from whyjit.present import compose, html
from whyjit.present.calls import take
from whyjit.present.html.assets import asset, page_style
from whyjit.present.html.timeline import timeline, whole

VOID = {"meta", "link", "input", "br", "wbr", "hr", "img", "rect", "line"}
PROGRAMS = {
    "program-1": samples.program(),
    "program-2": samples.program(3),
    "program-3": samples.program(rate="0.0909"),
}


class Reader(HTMLParser):
    """Collects elements and texts, and notices tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.scripts, self.wrong = [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append(f"/{tag}")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)


def page(built, **more):
    """The page with all rows, which a store would number by their position."""
    rows = sorted((row for each in built.rows.values() for row in each), key=lambda row: row.order)
    rows = [msgspec.structs.replace(row, order=place) for place, row in enumerate(rows)]
    briefs = [(row.order, row.function, row.count, row.moment) for row in rows]
    return html.render(built.report, ledger=briefs, rows_at=lambda places: [rows[at] for at in places], **more)


def whole_page(built):
    return page(
        built,
        program_of=PROGRAMS.get,
        source_of=lambda file, line: samples.SOURCE.get((file, line), ""),
        page_of=lambda code: f"# {code}\n\nWhat happened: `x`. <script>alert(1)</script> [bad](javascript:alert(1))\n",
    )


def data_of(text):
    return json.loads(Reader(text).scripts[0])


BUILT = [
    samples.digits, samples.many, samples.flips, samples.failed, samples.calm, samples.stale, samples.nothing,
    samples.hostile, lambda: samples.churn(100),
]  # fmt: skip


@pytest.mark.parametrize("built", BUILT)
def test_every_page_is_well_formed_and_stands_alone(built):
    text = whole_page(built())
    reader = Reader(text)
    assert reader.wrong == []
    text.encode()
    for tag, attributes in reader.elements:
        assert "src" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        target = attributes.get("href") or "#"
        assert target.startswith("#") or (tag, target) == ("link", "data:,")
    assert [tag for tag, _ in reader.elements].count("script") == 2
    assert not re.search(r"url\(|@import|https?:", text)


def test_ids_are_given_once():
    ids = [attributes["id"] for _, attributes in Reader(whole_page(samples.digits())).elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_nothing_of_a_hostile_program_becomes_markup():
    text = whole_page(samples.hostile())
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert 'javascript:alert(1)"' not in text


def test_hostile_cells_arrive_whole():
    data = data_of(whole_page(samples.hostile()))
    assert data["functions"]["1"]["name"].endswith("& \"q\" 'a' [l](javascript:x)")
    assert any("<script>" in cell for cell in data["cells"] if isinstance(cell, str))


def test_a_thousand_specializations_fit():
    assert len(page(samples.churn(1000), program_of=lambda _: samples.program()).encode()) < 1_500_000
    assert len(page(samples.many(500), program_of=lambda _: samples.program()).encode()) < 1_500_000


def test_ten_thousand_specializations_and_many_rows_fit_too():
    built = samples.churn()
    assert len(page(built).encode()) < 1_500_000


def test_the_headline_and_the_first_things_to_do():
    text = whole_page(samples.digits())
    assert '<span class="warn">8.4\u00a0s</span> of it was needless' in text
    assert text.index("static-is-data") < text.index("new-function-each-call") < text.index("The run over time")


def test_the_matrix_marks_what_changed_against_the_compared_specialization():
    data = data_of(whole_page(samples.digits()))
    matrix = data["functions"]["1"]["matrix"]
    titles = [column[0] for column in data["columns"][matrix["columns"]]]
    assert titles == ["number", "seconds", "calls", "eta", "images (+1)", "program", "against", "called from", "cause"]
    assert matrix["changed"]["1"] == [titles.index("images (+1)")]
    assert matrix["changed"]["2"] == [titles.index("eta")]
    assert "0" not in matrix["changed"]


def test_programs_stand_side_by_side_with_the_source():
    text = whole_page(samples.digits())
    assert '<mark class="bad">0.1</mark>' in text
    assert '<mark class="good">0.0909</mark>' in text
    assert '<td class="note"><b>digits.py:55</b> <code>y = (x * eta) @ w</code></td>' in text


def test_what_was_not_given_is_left_out():
    text = html.render(samples.digits().report)
    assert 'href="#page-' not in text
    data = data_of(text)
    assert data["functions"]["1"]["ledger"] is None
    assert not [attributes for tag, attributes in Reader(text).elements if attributes.get("class") == "programs"]


def test_a_fragment_is_a_piece_of_the_page():
    made = html.fragment(compose.summary(samples.hostile().report))
    assert Reader(made).wrong == []
    assert "<script" not in made
    assert made.count("<style>") == 1


def test_calls_are_spread_until_the_next_row():
    # Counted in 240 stretches: a tenth of the run is 24 of them.
    briefs = [(0, 1, 1, 0.5), (1, 1, 48, 1.0), (2, 1, 1, 4.99), (3, 2, 7, 9.99), (4, 3, 2, -1.0)]
    density = take(briefs, lambda _: (), 10.0, 10).density
    assert len(density) == 240
    assert density[12] == pytest.approx(1 + 2 / 240)
    assert density[24:119] == pytest.approx([48 / 96 + 2 / 240] * 95)
    assert density[119] == pytest.approx(48 / 96 + 1 + 2 / 240)
    assert density[239] == pytest.approx(7 + 2 / 240)
    assert sum(density) == pytest.approx(59)


def test_only_the_first_and_the_last_rows_are_asked_for():
    asked = []

    def rows_at(places):
        asked.extend(places)
        return [Row(at, 1, 1, "hit", Location("a.py", 1), 2, float(at), 1, 1) for at in places]

    briefs = [(at, 1 + at % 2, 2, float(at)) for at in range(1000)]
    calls = take(briefs, rows_at, 1000.0, 10)
    window = calls.window(1, 6)
    assert [row.order for _, row in window.head] == [0, 2, 4]
    assert [row.order for _, row in window.tail] == [994, 996, 998]
    assert [call for call, _ in (*window.head, *window.tail)] == [1, 3, 5, 995, 997, 999]
    assert window.skipped == 494
    assert asked == [0, 2, 4, 994, 996, 998]
    assert calls.window(3, 6) == ((), (), 0)
    few = take(briefs[:7], rows_at, 1000.0, 10).window(1, 10)
    assert ([row.order for _, row in few.head], few.tail, few.skipped) == ([0, 2, 4, 6], (), 0)


def test_a_page_bears_no_more_bars_than_it_should():
    (function,) = samples.churn(3000).report.functions
    replace = msgspec.structs.replace
    # Work that overlaps, as threads that are not told apart would have it.
    overlapping = tuple(
        replace(each, specialization=replace(each.specialization, stages=(Stage("compile", 0.001 * at, 5 + at % 7),)))
        for at, each in enumerate(function.specializations)
    )
    report = samples.churn(2).report
    report = replace(report, functions=(replace(function, specializations=overlapping),))
    made = timeline(report, [0.0], whole(report))
    shown = [bar.width for lane in made.lanes for bar in lane.bars]
    assert (len(shown), made.hidden_bars) == (1200, 1800)
    assert min(shown) * whole(report) > 7
    assert "1800 shorter bars are left out" in html.render(report)


def test_nested_work_lies_a_level_deeper():
    report = samples.digits().report
    made = timeline(report, [0.0], whole(report))
    (lane,) = made.lanes
    assert lane.depth == 2
    assert {bar.kind for bar in lane.bars if bar.depth == 1} == {"trace"}
    assert all(0 <= bar.start <= bar.start + bar.width <= 1.001 for bar in lane.bars)


def test_short_work_that_lies_close_together_shares_a_stretch():
    report = samples.churn(5000).report
    (lane,) = timeline(report, [0.0], whole(report)).lanes
    assert len(lane.bars) < 1000
    shares = {bar.kind: bar.height for bar in lane.bars[:3]}
    assert shares["compile"] > 4 * shares["trace"]
    assert "compiles of step" in next(bar.title for bar in lane.bars if bar.kind == "compile")


def test_an_empty_run_has_a_page():
    text = whole_page(samples.nothing())
    assert "No call of a jitted function was seen" in text
    assert "The run over time" not in text


def test_a_view_tells_what_runs_only_while_tracing_and_where_the_slowest_trace_went():
    text = whole_page(samples.slow_trace())
    assert Reader(text).wrong == []
    (view,) = re.findall(r'<template id="prepared-1">(.*?)</template>', text, re.DOTALL)
    once, trace = view.index('class="once"'), view.index('class="trace"')
    assert view.index('class="findings"') < once < trace
    assert '<a href="#page-runs-once"><span class="chip plain">' in view
    assert "prints: <code" in view
    assert 'id="page-runs-once"' in text
    assert "Where the trace of <span" in view
    assert '<i class="step" style="width:1.2em"></i>  <span class="dim">scan </span>' in view
    assert "At which lines the trace of" in view
    assert '<code class="code">y = (x * eta) @ w</code>' in view
    assert "The Python loop at digits.py:54 in train_step was unrolled: the same operations, written 60 times" in view


def test_steps_that_run_once_are_told_of_where_there_are_some():
    text = whole_page(samples.digits())
    assert "runs-once" not in text
    assert 'class="once"' not in text


def test_traces_are_told_of_until_the_page_has_enough(monkeypatch):
    monkeypatch.setattr("whyjit.present.html._TRACE_BYTES", 0)
    assert 'class="trace"' not in whole_page(samples.slow_trace())


def test_a_heading_begins_with_a_capital_unless_it_is_code():
    assert re.search(r"<h1>\s*No call of a jitted function was seen", whole_page(samples.nothing()))
    assert re.search(r'<h1>\s*<code class="quoted">predict</code>', whole_page(samples.stale()))


def test_an_empty_run_offers_nothing_to_search():
    assert '<form class="tools" role="search" hidden>' in whole_page(samples.nothing())
    assert '<form class="tools" role="search">' in whole_page(samples.digits())


def test_programs_that_are_not_shown_are_not_passed_over_in_silence(monkeypatch):
    monkeypatch.setattr("whyjit.present.html._PROGRAM_BYTES", 1)
    functions = data_of(whole_page(samples.digits()))["functions"]
    assert [each["name"] for each in functions.values() if each.get("missing") == "full"] == ["train_step"]
    monkeypatch.undo()
    monkeypatch.setattr("whyjit.present.html.programs._LONGEST", 2)
    functions = data_of(whole_page(samples.digits()))["functions"]
    assert functions["1"]["missing"] == "long"


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_can_be_told_apart(theme):
    """Text has the contrast of WCAG's level AA on every ground it stands on, and pictures theirs."""
    pattern = r"--([\w-]+): (#[0-9a-f]{3,6});"
    colours = dict(re.findall(pattern, asset("blocks.css")))
    if theme == "dark":
        dark = dict(re.findall(pattern, asset("dark.css")))
        assert set(dark) == set(colours)
        colours = dark
    texts = ("ink", "soft", "link", "warn", "bad", "good", "code")
    grounds = ("bg", "panel", "hover", "warn-bg", "bad-bg", "good-bg", "removed", "added")
    for text, ground in [*itertools.product(texts, grounds), ("ink", "mark")]:
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for part, ground in itertools.product(("trace", "lower", "compile", "cache_load", "calls"), ("bg", "panel")):
        assert contrast(colours[part], colours[ground]) >= 3, (part, ground)


def test_a_page_is_printed_in_light_colours():
    for theme in ("prefers-color-scheme: dark", "[data-theme=dark] .whyjit"):
        assert re.search(rf"@media screen[^{{]*{{?[^{{]*{re.escape(theme)}", page_style())


def test_the_function_that_failed_is_marked_and_tells_of_its_error():
    text = whole_page(samples.failed())
    data = data_of(text)
    assert (data["lines"][0]["codes"], data["lines"][0]["wrong"]) == (["branch-on-value"], ["branch-on-value"])
    (view,) = re.findall(r'<template id="prepared-1">(.*?)</template>', text, re.DOTALL)
    assert view.startswith('<div class="failures"><article class="failure">')
    assert "No finding." not in view
    assert any("; ended with TracerBoolConversionError" in str(cell) for cell in data["cells"])


def test_an_error_that_fits_two_functions_is_told_of_neither():
    built = samples.failed()
    one = built.report.functions[0]
    other = msgspec.structs.replace(one, function=msgspec.structs.replace(one.function, id=2))
    both = built._replace(report=msgspec.structs.replace(built.report, functions=(one, other)))
    assert [line["codes"] for line in data_of(whole_page(both))["lines"]] == [[], []]
