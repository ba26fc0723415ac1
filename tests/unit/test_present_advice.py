"""Advice as JSON, held to its schema, and as a page."""

import jsonschema
import pytest

from whyjit.advising import Advices
from whyjit.model.advice import Advice, Effort
from whyjit.model.source import Location
from whyjit.present import advice_json, compose, markdown, terminal

VALIDATOR = jsonschema.Draft202012Validator(advice_json.schema())
PATCH = "--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-old\n+new\n"
PROVEN = Advice(
    "step",
    "rate",
    "make-dynamic",
    "PROVEN",
    "the same program at each value",
    Effort(6, 1.5),
    Effort(1, 0.25),
    PATCH,
    ("0.1", "0.2"),
    Location("/home/me/train.py", 12, "step"),
)
SUGGESTED = Advice("scale", None, "cond", "SUGGESTED", "a loop has several forms", Effort(1, 0.1), code="x = 1\ny = 2")
REJECTED = Advice("wrap", "n", "make-dynamic", "SUGGESTED", "tried and rejected: it wraps", Effort(2, 0.1))


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(advice_json.schema())


def test_the_json_has_the_promised_keys_and_holds_to_its_schema():
    found = advice_json.advice_dict([PROVEN, SUGGESTED])
    VALIDATOR.validate(found)
    assert (found["format"], found["version"]) == ("whyjit-advice", 1)
    assert found["items"][0] == {
        "function": "step",
        "path": "rate",
        "kind": "make-dynamic",
        "evidence": "PROVEN",
        "why": "the same program at each value",
        "before": {"traces": 6, "seconds": 1.5},
        "after": {"traces": 1, "seconds": 0.25},
        "patch": PATCH,
        "range": ["0.1", "0.2"],
    }
    assert found["items"][1]["path"] is None
    assert found["items"][1]["after"] is None
    assert "x = 1" in found["items"][1]["why"]


@pytest.mark.parametrize(
    "damage",
    [
        {"evidence": "SURE"},
        {"kind": "other"},
        {"before": None},
        {"after": None},
        {"why": ""},
        {"range": [1]},
    ],
)
def test_the_schema_notices_damage(damage):
    found = advice_json.advice_dict([PROVEN])
    found["items"][0] |= damage
    assert not VALIDATOR.is_valid(found)


def test_the_page_says_what_to_change_how_well_that_is_known_and_what_it_saves():
    items = [PROVEN, SUGGESTED, REJECTED]
    page = compose.advice(items, ["buckets: no advice"], directory="/home/me", where="run")
    text = terminal.render(page, width=90)
    lines = text.splitlines()
    assert "3 pieces of advice: 1 proven, 2 suggested; what was tried would save 1.2 s" in text
    assert "step  train.py:12  make-dynamic" in lines
    assert "PROVEN: pass `rate` as an ordinary argument, 6 traces -> 1, saves 1.2 s" in text
    assert "Values: 0.1, 0.2" in text
    assert "  -old" in lines
    assert "  x = 1" in lines
    assert "leave `n` static" in text
    assert "buckets: no advice" in text
    assert "whyjit fix --apply" in text


def test_nothing_to_advise_says_so():
    assert "No jitted function has traces" in terminal.render(compose.advice([]), width=90)


def test_the_page_as_markdown():
    assert "PROVEN" in markdown.render(compose.advice([PROVEN]))


def test_advice_is_a_tuple_that_shows_itself():
    found = Advices((PROVEN, SUGGESTED))
    assert found == (PROVEN, SUGGESTED)
    assert "PROVEN: pass `rate` as an ordinary argument" in str(found)
    html = found._repr_html_()
    assert html.startswith('<div class="whyjit fragment">')
    assert "<script" not in html
    assert "step" in html
    assert str(Advices()).startswith("Advice")
