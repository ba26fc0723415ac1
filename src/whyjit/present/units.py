"""Numbers as people read them."""

from __future__ import annotations

import math

_MINUTE = 60
_HOUR = 3600


def seconds(value: float) -> str:
    """A duration with two or three telling digits: `31.0 s`, `0.42 s`, `3.1 ms`, `2 min 05 s`."""
    if not math.isfinite(value):
        return "? s"
    size = abs(value)
    if size >= _HOUR:
        minutes = round(value / _MINUTE)
        return f"{minutes // 60} h {minutes % 60:02d} min"
    if size >= 2 * _MINUTE:
        whole = round(value)
        return f"{whole // _MINUTE} min {whole % _MINUTE:02d} s"
    if size >= 0.995:
        return f"{value:.1f} s"
    if size >= 0.0995:
        return f"{value:.2f} s"
    if size >= 0.00995:
        return f"{value * 1e3:.0f} ms"
    if size >= 0.00005:
        return f"{value * 1e3:.1f} ms"
    return "0 s"


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
