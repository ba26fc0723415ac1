"""The JSON schemas that the package ships, each in a file beside this module."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def load(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) in the file of that name."""
    text = resources.files("whyjit.present").joinpath(name).read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
