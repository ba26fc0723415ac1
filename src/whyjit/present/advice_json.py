"""Advice as JSON: format `whyjit-advice`, version 1. Keys are only ever added.

`advice.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.present import schemas
from whyjit.present.clean import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.model.advice import Advice, Effort

FORMAT = "whyjit-advice"
VERSION = 1

Json = dict[str, Any]


def schema() -> Json:
    """The JSON Schema (draft 2020-12) of what `advice_dict` returns."""
    return schemas.load("advice")


def advice_dict(items: Iterable[Advice]) -> Json:
    """Advice as plain dicts, lists, text and numbers, in the order given."""
    return {"format": FORMAT, "version": VERSION, "items": [_item(item) for item in items]}


def _item(item: Advice) -> Json:
    return {
        "function": encodable(item.function),
        "path": None if item.path is None else encodable(item.path),
        "kind": item.kind,
        "evidence": item.evidence,
        "why": encodable(f"{item.why}; to do: {item.code}" if item.code else item.why),
        "before": _effort(item.before),
        "after": None if item.after is None else _effort(item.after),
        "patch": None if item.patch is None else encodable(item.patch),
        "range": [encodable(value) for value in item.tested],
    }


def _effort(effort: Effort) -> Json:
    return {"traces": effort.traces, "seconds": effort.seconds}
