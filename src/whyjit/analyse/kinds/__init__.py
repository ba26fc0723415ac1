"""The kinds of causes: a page each, saying what a changed factor is and what to make of it."""

from __future__ import annotations

from whyjit.analyse.kinds import arguments, functions, life, statics, surroundings
from whyjit.analyse.page import Page

PAGES: dict[str, Page] = {
    page.code: page for module in (functions, statics, arguments, surroundings, life) for page in module.PAGES
}

__all__ = ["PAGES"]
