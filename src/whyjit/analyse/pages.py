"""Every code with its page: findings, notes, kinds of causes, and errors."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyjit.analyse.page import Page


@functools.cache
def groups() -> dict[str, tuple[Page, ...]]:
    """All pages by what their codes are of: findings, notes, causes, errors."""
    from whyjit.analyse import failure, findings, kinds, notes
    from whyjit.analyse.findings import process_divergence

    return {
        "Findings": (*(rule.PAGE for rule in findings.RULES), process_divergence.PAGE),
        "Notes": tuple(notes.PAGES.values()),
        "Causes": tuple(kinds.PAGES.values()),
        "Errors": tuple(failure.PAGES.values()),
    }


@functools.cache
def _pages() -> dict[str, Page]:
    return {page.code: page for pages in groups().values() for page in pages}


def codes() -> list[str]:
    """All codes: those of findings and notes, then the kinds of causes, then those of errors."""
    return list(_pages())


def page(code: str) -> Page | None:
    """The page of a code; hyphens and underscores count the same. None for a code without one."""
    pages = _pages()
    wanted = code.strip().lower()
    spellings = (wanted, wanted.replace("_", "-"), wanted.replace("-", "_"))
    return next((pages[spelling] for spelling in spellings if spelling in pages), None)
