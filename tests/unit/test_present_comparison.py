"""A comparison as text, Markdown, HTML and JSON."""

import json

import jsonschema
import present_samples as samples
import pytest
from markdown_it import MarkdownIt
from test_analyse_compare import fixed
from test_present_html import Reader

from whyjit.analyse.compare import compare
from whyjit.present import comparison_json, compose, html, markdown, terminal

VALIDATOR = jsonschema.Draft202012Validator(comparison_json.schema())
SAMPLES = [
    samples.digits, samples.flips, samples.failed, samples.nothing, samples.hostile, samples.stale, samples.many,
]  # fmt: skip


def text(old, new, **more):
    return terminal.render(compose.compare(compare(old, new), **more), width=100)


def test_digits_before_and_after():
    shown = text(samples.digits().report, fixed(), before="runs/one", after="runs/two")
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[0].startswith("tracing and compiling took")
    assert "before digits.py --epochs 20 runs/one" in lines
    assert "traces 104 5 95 % fewer" in lines
    assert "static `eta`: 38 traces, 38 compiles, 7.0 s -> none" in lines
    assert "shape of `images`: 1 trace, 1 compile, 0.18 s -> none" in lines
    assert "Counts are exact. Seconds are of one run each, and differ a little from run to run." in lines
    assert any(line.startswith("gone static-is-data of `eta` train_step") for line in lines)


def test_the_same_twice():
    whole = samples.digits().report
    shown = text(whole, whole)
    assert "->" not in shown
    assert "5 functions as before" in shown


def test_worse_is_a_warning_and_better_is_not():
    whole = samples.digits().report
    for before, after, severity in (
        (whole, fixed(), "good"), (fixed(), whole, "warn"), (whole, whole, "info"),
        (samples.calm().report, samples.stale().report, "bad"),
        (samples.nothing().report, samples.failed().report, "bad"),
    ):  # fmt: skip
        assert compose.compare(compare(before, after)).blocks[0].severity == severity


def test_what_weakens_the_comparison_is_said():
    shown = text(samples.digits().report, samples.calm().report)
    assert "may not have done the same work" in shown
    assert "could not be observed before" in shown


@pytest.mark.parametrize("before", SAMPLES)
@pytest.mark.parametrize("after", SAMPLES)
def test_every_pair_can_be_shown(before, after):
    made = compare(before().report, after().report)
    document = compose.compare(made)
    assert "\x1b[31m" not in terminal.render(document, width=60, color=False)
    assert "<script" not in MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown.render(document))
    page = html.page(document, subtitle="x", page_of=lambda code: f"# {code} <script>")
    assert Reader(page).wrong == []
    assert not [each for each in Reader(page).elements if each[0] == "script"]
    written = json.dumps(comparison_json.comparison_dict(made), allow_nan=False, ensure_ascii=False)
    written.encode()
    VALIDATOR.validate(json.loads(written))


def test_the_schema_is_one_and_notices_damage():
    jsonschema.Draft202012Validator.check_schema(comparison_json.schema())
    for damage in (
        lambda made: made.pop("before"),
        lambda made: made["functions"][0].update(state="odd"),
        lambda made: made["functions"][0]["causes"][0]["before"].pop("traces"),
        lambda made: made["functions"][0].update(matched_by="luck"),
    ):
        made = comparison_json.comparison_dict(compare(samples.digits().report, fixed()))
        damage(made)
        assert not VALIDATOR.is_valid(made)


def test_codes_lead_to_their_pages():
    document = compose.compare(compare(samples.digits().report, fixed()))
    page = html.page(document, page_of=lambda code: f"# {code}\n\nWhy.\n")
    assert 'href="#page-static-is-data"' in page
    assert 'id="page-static-is-data"' in page
