"""Numbers as people read them."""

from __future__ import annotations

from whyjit.model.durations import duration as seconds

__all__ = ["count", "nbytes", "plural", "seconds", "share"]


def count(value: int) -> str:
    """A whole number with commas between thousands."""
    return f"{value:,}"


def share(part: float, total: float) -> str:
    """A percentage: `39 %`, and `under 1 %` where rounding would hide something."""
    if total <= 0:
        return "0 %"
    percent = 100 * part / total
    if 0 < percent < 1:
        return "under 1 %"
    return f"{percent:.0f} %"


def nbytes(value: int) -> str:
    """A size in bytes: `812 B`, `4.0 MB`, in steps of 1,000."""
    size = float(value)
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size) < 999.5:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def plural(number: int, one: str, many: str = "") -> str:
    """A count with its noun: `1 trace`, `12 traces`."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"
