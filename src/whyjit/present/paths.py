"""File names as people know them: relative to where the program ran, and short for installed packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.paths import is_installed, relative, short

if TYPE_CHECKING:
    from whyjit.model.source import Location


def place(location: Location, directory: str) -> str:
    """A location as `file:line`, short; "" where it is not known."""
    if not location.file:
        return ""
    return (
        f"{short(location.file, directory)}:{location.line}" if location.line > 0 else short(location.file, directory)
    )


__all__ = ["is_installed", "place", "relative", "short"]
