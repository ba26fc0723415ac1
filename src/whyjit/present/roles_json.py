"""The roles of a function's inputs as JSON: format `whyjit-roles`, version 1. Keys are only ever added.

`roles.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from whyjit.present import schemas
from whyjit.present.paths import relative

if TYPE_CHECKING:
    from whyjit.model.roles import Roles


def roles_dict(roles: Roles, directory: str = "") -> dict[str, Any]:
    """The roles; file names below `directory` are relative to it."""
    whole: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(roles))
    whole["file"] = relative(roles.file, directory)
    for value in whole["values"]:
        value["why"] = value["why"].replace(f"{directory}/", "") if directory else value["why"]
    for static in whole["statics"]:
        for line in static["lines"]:
            line["file"] = relative(line["file"], directory)
    return {"format": "whyjit-roles", "version": 1, **whole}


def schema() -> dict[str, Any]:
    """The JSON schema of the format."""
    return schemas.load("roles")
