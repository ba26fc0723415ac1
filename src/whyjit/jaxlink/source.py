"""Where JAX says an operation was called: file, lines and columns of the frames outside JAX.

Evidence: `source_info_util.user_frames` takes the source info until 0.6 and its traceback from 0.7 on; its frames carry
start and end lines and columns on every supported version.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whyjit.jaxlink.missing import Missing


class Site(NamedTuple):
    """One frame: columns are in UTF-8 bytes from 0; they are -1 where Python does not keep them."""

    file: str
    function: str
    line: int
    end_line: int
    column: int
    end_column: int


def sites(source_info: Any) -> list[Site] | Missing:
    """The frames outside JAX that an operation was called from, innermost first."""
    try:
        from jax._src import source_info_util
    except ImportError as fault:
        return Missing(f"jax._src.source_info_util cannot be imported: {fault}")
    for given in (getattr(source_info, "traceback", None), source_info):
        if given is None:
            continue
        try:
            return [
                Site(
                    frame.file_name,
                    frame.function_name,
                    frame.start_line,
                    frame.end_line,
                    frame.start_column,
                    frame.end_column,
                )
                for frame in source_info_util.user_frames(given)
            ]
        except (AttributeError, TypeError):
            continue
    return Missing("JAX kept no traceback for this operation")
