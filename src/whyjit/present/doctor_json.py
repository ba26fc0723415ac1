"""What can be observed here, as JSON: format `whyjit-doctor`, version 1. Keys are only ever added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.present.clean import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = "whyjit-doctor"
VERSION = 1

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": f"{FORMAT}, version {VERSION}",
    "type": "object",
    "required": ["format", "version", "features"],
    "properties": {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "features": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["what", "available", "reason"],
                "properties": {
                    "what": {"type": "string"},
                    "available": {"type": "boolean"},
                    "reason": {"type": "string", "description": "What it rests on, or why it is missing."},
                },
            },
        },
    },
}


def doctor_dict(features: Iterable[tuple[str, bool, str]]) -> dict[str, Any]:
    """The features as `jaxlink.doctor.examine` lists them: what, whether it is available, and the reason."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "features": [
            {"what": encodable(what), "available": available, "reason": encodable(reason)}
            for what, available, reason in features
        ],
    }
