"""The page of a code: what it means and what to do, kept beside the code that finds it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A small program, run by the tests: with `shows` its report must hold the code, without it must not."""

    source: str
    shows: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """What happened, why it happens, what to do, and when to leave it alone, with examples before and after."""

    code: str
    title: str
    what: str
    why: str
    todo: str
    ignore: str
    before: Example | None = None
    after: Example | None = None
