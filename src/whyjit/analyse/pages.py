"""Every code with its page: findings, notes, kinds of causes, and errors."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyjit.analyse.page import Page


@functools.cache
def _pages() -> dict[str, Page]:
    from whyjit.analyse import failure, findings, kinds, notes
    from whyjit.analyse.findings import process_divergence

    every = [rule.PAGE for rule in findings.RULES] + [process_divergence.PAGE]
    return {page.code: page for page in every} | notes.PAGES | kinds.PAGES | failure.PAGES


def codes() -> list[str]:
    """All codes: those of findings and notes, then the kinds of causes, then those of errors."""
    return list(_pages())


def page(code: str) -> Page | None:
    """The page of a code; hyphens and underscores count the same. None for a code without one."""
    pages = _pages()
    wanted = code.strip().lower()
    spellings = (wanted, wanted.replace("_", "-"), wanted.replace("-", "_"))
    return next((pages[spelling] for spelling in spellings if spelling in pages), None)
