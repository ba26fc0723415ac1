"""The example on each error code's page fails as the page says, and its mended form does not."""

from __future__ import annotations

import pytest
from failing import failure, load, watching

from whyjit.analyse.failure.codes import FAILS, PAGES


@pytest.mark.parametrize("code", PAGES)
def test_example_fails_as_its_page_says(code):
    told = FAILS[code]
    found = failure(PAGES[code].before.source, f"{code}-before")
    assert (found.error, found.code) == (told.error, code)
    assert found.expression == told.expression
    assert found.arguments == told.arguments
    assert found.remedies
    assert found.text
    assert [note for note in found.notes if not note.startswith("outside jit")] == []


@pytest.mark.parametrize("code", PAGES)
def test_mended_example_runs(code):
    with watching() as seen:
        load(PAGES[code].after.source, f"{code}-after")
    assert seen.failures == []
