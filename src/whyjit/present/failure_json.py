"""A failure as the JSON of a report has it: plain dicts and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from whyjit.present.paths import relative

if TYPE_CHECKING:
    from whyjit.model.failure import Failure, Remedy


def as_json(failure: Failure, directory: str = "") -> dict[str, Any]:
    """The failure under the keys of the report's format; file names below `directory` are relative to it."""
    whole: dict[str, Any] = msgspec.to_builtins(failure)
    whole["file"] = relative(failure.file, directory)
    whole["columns"] = list(failure.columns) if failure.columns is not None else None
    whole["remedies"] = [remedy_text(remedy) for remedy in failure.remedies]
    whole["remedy_details"] = msgspec.to_builtins(failure.remedies)
    for step in whole["chain"]:
        step["file"] = relative(step["file"], directory)
    return whole


def remedy_text(remedy: Remedy) -> str:
    """A remedy in one string."""
    return f"{remedy.name}: {remedy.text} ({remedy.cost})"
