"""A failure as the JSON of a report has it: plain dicts and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from whyjit.present.paths import relative

if TYPE_CHECKING:
    from whyjit.model.failure import Failure, Remedy


def as_json(failure: Failure, directory: str = "") -> dict[str, Any]:
    """The failure under the keys of the report's format; file names below `directory` are relative to it."""
    whole: dict[str, Any] = _plain(msgspec.to_builtins(failure), directory)
    whole["remedy_details"] = whole["remedies"]
    whole["remedies"] = [remedy_text(remedy) for remedy in failure.remedies]
    return whole


def _plain(value: Any, directory: str) -> Any:
    """Lists for tuples, and relative names for files, at any depth."""
    if isinstance(value, dict):
        return {
            key: relative(item, directory) if key == "file" else _plain(item, directory) for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_plain(item, directory) for item in value]
    return value


def remedy_text(remedy: Remedy) -> str:
    """A remedy in one string."""
    return f"{remedy.name}: {remedy.text} ({remedy.cost})"
