"""A piece of a notebook: it keeps to itself, is not disturbed from outside, and is dark where the notebook is."""

import re

import present_samples as samples
import pytest
from present_browser import BROWSER, Browser
from test_present_html import Reader

from whyjit.notebook import formats
from whyjit.present import compose, html
from whyjit.present.html.assets import fragment_style

# What notebooks do to everything in an output, exaggerated.
OUTSIDE = """
.outside td, .outside th { text-align: center; padding: 40px; background: rgb(255, 0, 255); }
.outside tbody tr:nth-child(odd) { background: rgb(0, 255, 0); }
.outside :not(pre) > code { background: rgb(255, 255, 0); padding: 20px; }
.outside h1, .outside h2 { color: rgb(255, 0, 0); }
"""


def test_every_rule_is_about_the_fragment():
    style = re.sub(r"/\*.*?\*/", "", fragment_style(), flags=re.DOTALL)
    selectors = [each.strip() for each in re.findall(r"([^{}]+)\{", style)]
    selectors = [each for each in selectors if each and not each.startswith(("@media", "@container"))]
    assert len(selectors) > 40
    for selector in selectors:
        for one in selector.split(","):
            assert ".whyjit" in one, selector


@pytest.mark.parametrize(
    "shown",
    [
        lambda: formats.report(samples.digits().report),
        lambda: formats.report(samples.hostile().report, where="</style><script>"),
        lambda: formats.function(samples.flips().report.functions[0]),
        lambda: formats.finding(samples.digits().report.functions[0].findings[0]),
        lambda: formats.failure(samples.failed().report.failures[0]),
        lambda: formats.failure(samples.hostile().report.failures[0]),
        lambda: formats.program(samples.program()),
        lambda: formats.report(samples.nothing().report),
    ],
)
def test_each_kind_of_value_is_well_formed_and_holds_no_script(shown):
    made = shown()
    reader = Reader(made._repr_html_())
    assert reader.wrong == []
    assert not [tag for tag, _ in reader.elements if tag in {"script", "link", "iframe", "img"}]
    assert not [name for _, attributes in reader.elements for name in attributes if name.startswith("on")]
    assert str(made).strip()


def test_the_whole_is_folded_below_the_summary():
    report = samples.digits().report
    made = html.fragment(compose.summary(report), compose.report(report))
    summary, folded = made.split("<details>")
    assert "static-is-data" in summary
    assert "What could not be observed" in folded
    assert folded.startswith("<summary>everything</summary>")


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
def test_in_a_browser(tmp_path):
    with Browser(tmp_path) as browser:
        piece = formats.report(samples.digits().report)._repr_html_()
        seen = {}
        for name, mark, system in (
            ("light", 'data-jp-theme-light="true"', "dark"),
            ("dark", 'data-jp-theme-light="false"', "light"),
            ("code", 'class="vscode-dark" data-vscode-theme-kind="vscode-dark"', "light"),
            ("plain", "", "dark"),
        ):
            path = tmp_path / f"{name}.html"
            body = f"<body {mark}><p id=other>text</p><div class=outside>{piece}</div>"
            path.write_text(f"<!doctype html><style>{OUTSIDE}</style>{body}")
            browser.open(path, theme=system)
            seen[name] = browser.do(
                """const style = (select) => getComputedStyle(document.querySelector(select));
                return [style(".fragment").backgroundColor, style(".fragment td").backgroundColor,
                  style(".fragment td.right").textAlign, style(".fragment td").paddingLeft,
                  style(".fragment tbody tr").backgroundColor, style(".fragment code.quoted").backgroundColor,
                  style("#other").color, document.documentElement.scrollWidth - document.documentElement.clientWidth]"""
            )
        assert browser.faults == []
    light, dark = "rgb(251, 251, 249)", "rgb(21, 24, 27)"
    assert [seen[name][0] for name in ("light", "dark", "code", "plain")] == [light, dark, dark, dark]
    clear = "rgba(0, 0, 0, 0)"
    for found in seen.values():
        assert found[1:] == [clear, "right", "12px", clear, clear, "rgb(0, 0, 0)", 0]
