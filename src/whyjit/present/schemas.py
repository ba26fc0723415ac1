"""The JSON schemas that the package ships: `NAME.schema.json` beside this module is that of the format `whyjit-NAME`.

`report.schema.json` is that of the format `whyjit`. `docs/reference/json.md` is written from them.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def load(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of that name."""
    text = resources.files("whyjit.present").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
