"""What `whyjit cache --format json` prints: format `whyjit-cache`, version 1. Keys are only ever added.

`cache.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.analyse import disk_words
from whyjit.analyse.disk_cache import SPARED
from whyjit.present import paths, schemas

if TYPE_CHECKING:
    from whyjit.analyse.disk_cache import Comparison, Verdict


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `cache_dict` returns."""
    return schemas.load("cache")


def cache_dict(comparison: Comparison, directory: str = "") -> dict[str, Any]:
    """The comparison as plain data; seconds are floats, `saved_s` and `spared_s` sums over all compiles."""
    return {
        "format": "whyjit-cache",
        "version": 1,
        "earlier_used_cache": comparison.earlier_used,
        "later_used_cache": comparison.later_used,
        "saved_s": comparison.saved_s,
        "spared_s": comparison.spared_s,
        "compiles": [_compile(verdict, directory) for verdict in comparison.verdicts],
    }


def _compile(verdict: Verdict, directory: str) -> dict[str, Any]:
    look = verdict.look
    site = look.specialization.call_site
    return {
        "function": look.name,
        "specialization": look.specialization.number,
        "process_index": look.process,
        "call_site": {"file": paths.short(site.file, directory), "line": site.line} if site.file else None,
        "status": verdict.status,
        "seconds": verdict.seconds,
        "earlier_s": verdict.earlier_s,
        "could_be_spared": verdict.status in SPARED,
        "reason": disk_words.reason(verdict),
        "remedy": disk_words.remedy(verdict),
        "differs": [{"component": name, "earlier": old, "later": new} for name, old, new in verdict.differs],
        "program_delta": verdict.delta,
    }
