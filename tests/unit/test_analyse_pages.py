"""Every finding, kind and error has a page, and every page says all that a page has to say."""

import pytest

from whyjit.analyse import kinds, pages, remedies
from whyjit.analyse.difference import ORDER
from whyjit.analyse.findings import RULES
from whyjit.present import schemas
from whyjit.present.compose import reasons


@pytest.mark.parametrize("code", pages.codes())
def test_page_is_complete(code):
    page = pages.page(code)
    assert page.code == code
    assert all((page.title, page.what, page.why, page.todo, page.ignore))
    for text in (page.what, page.why, page.todo, page.ignore):
        assert text.endswith((".", "?")), text
        assert text.count("`") % 2 == 0, text
    for example in filter(None, (page.before, page.after)):
        compile(example.source, code, "exec")
    assert page.before is None or page.before.shows
    assert page.after is None or not page.after.shows


def test_every_kind_that_analysis_can_give_has_a_page():
    assert set(kinds.PAGES) == {*ORDER, "first", "cleared", "retry_after_error", "unknown"}


def test_every_kind_is_known_wherever_kinds_are_told_apart():
    examples = schemas.load("report")["$defs"]["kind"]["examples"]
    for known in (remedies._BY_KIND, reasons.KINDS, examples):
        assert set(known) == set(kinds.PAGES)


def test_every_finding_has_a_page_with_both_examples():
    for rule in RULES:
        assert rule.PAGE.before, rule.PAGE.code
        assert rule.PAGE.after, rule.PAGE.code


def test_codes_are_all_different():
    assert len(set(pages.codes())) == len(pages.codes())


def test_spelling_is_forgiving():
    assert pages.page("weak-type") is pages.page("weak_type") is not None
    assert pages.page("SHAPE_CHURN") is pages.page("shape-churn") is not None
    assert pages.page("no-such-code") is None
