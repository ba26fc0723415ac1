"""Why a recording cannot be read or written."""

from __future__ import annotations

from whyjit.errors import WhyjitError


class StoreError(WhyjitError):
    """A recording that is missing, foreign, damaged, newer than this whyjit, or in a place that cannot be used."""
