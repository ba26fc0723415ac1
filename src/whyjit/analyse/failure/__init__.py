"""Explains tracer errors from source and facts alone: pure, and without JAX."""

from __future__ import annotations

from whyjit.analyse.failure.codes import PAGES
from whyjit.analyse.failure.judge import judge
from whyjit.analyse.failure.recognise import is_candidate

__all__ = ["PAGES", "is_candidate", "judge"]
