"""What can be observed here, as JSON: format `whyjit-doctor`, version 1. Keys are only ever added.

`doctor.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.present import schemas
from whyjit.present.clean import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = "whyjit-doctor"
VERSION = 1


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `doctor_dict` returns."""
    return schemas.load("doctor")


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
