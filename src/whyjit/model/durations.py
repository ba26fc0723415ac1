"""Durations as people read them."""

from __future__ import annotations

import math

_MINUTE = 60
_HOUR = 3600


def duration(value: float) -> str:
    """Seconds with two or three telling digits: `31.0 s`, `0.42 s`, `3.1 ms`, `2 min 05 s`."""
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
