"""Where something happened in a user's source."""

from __future__ import annotations

import msgspec


class Location(msgspec.Struct, frozen=True, gc=False):
    """A line of source: `file` as Python knows it, `line` counted from 1, `function` the enclosing function's name."""

    file: str
    line: int
    function: str = ""
