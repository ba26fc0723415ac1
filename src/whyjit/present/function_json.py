"""One function as JSON: formats `whyjit-function` and `whyjit-ledger`, version 1. Keys are only ever added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.present.clean import encodable
from whyjit.present.json import Work
from whyjit.present.json import schema as report_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.model.finding import FunctionReport, Report
    from whyjit.model.recording import Row

FUNCTION_FORMAT = "whyjit-function"
LEDGER_FORMAT = "whyjit-ledger"
VERSION = 1

Json = dict[str, Any]


def function_dict(report: Report, function: FunctionReport) -> Json:
    """What `whyjit why` says of a function: the object that the report has for it, and the process it ran in."""
    work = Work(report.environment.directory)
    return {
        "format": FUNCTION_FORMAT,
        "version": VERSION,
        "environment": work.environment(report.environment),
        "function": work.function(function),
    }


def ledger_dict(report: Report, function: FunctionReport, rows: Iterable[Row]) -> Json:
    """What `whyjit ledger` says of a function: every row, and the specializations that the rows name.

    A row's `call` is the number of its first call, counted from 1 within the function, and `count` the equal calls in a
    row. `traces` and `compiles` are the function's counts when the row ended: what had been observed by then.
    """
    work = Work(report.environment.directory)
    made: list[Json] = []
    call = 1
    for row in rows:
        made.append(
            {
                "call": call,
                "count": row.count,
                "event": row.event,
                "nested": row.nested,
                "call_site": work.place(row.call_site),
                "specialization": row.specialization,
                "traces": row.traces,
                "compiles": row.compiles,
            }
        )
        call += row.count
    about = function.function
    return {
        "format": LEDGER_FORMAT,
        "version": VERSION,
        "function": {
            "name": encodable(about.name),
            "qualname": encodable(about.qualname),
            "file": work.path(about.file),
            "line": about.line,
        },
        "rows": made,
        "specializations": work.specializations(function),
    }


def function_schema() -> Json:
    """The JSON Schema (draft 2020-12) of what `function_dict` returns."""
    return _schema(
        FUNCTION_FORMAT,
        {
            "environment": {**_ref("environment"), "description": "The process that was recorded."},
            "function": {**_ref("function"), "description": "The function."},
        },
    )


def ledger_schema() -> Json:
    """The JSON Schema (draft 2020-12) of what `ledger_dict` returns."""
    positive, count, text = {"type": "integer", "minimum": 1}, _ref("count"), {"type": "string"}
    row = {
        "call": {**positive, "description": "The number of its first call, within the function."},
        "count": {**positive, "description": "How many equal calls it stands for."},
        "event": {"enum": ["hit", "miss", "new"], "description": "Whether JAX's fast path had it; new: work was done."},
        "nested": {"type": "boolean", "description": "Whether it was made inside a trace."},
        "call_site": {**_ref("place_or_null"), "description": "Where it was made."},
        "specialization": {**count, "description": "The specialization that it used."},
        "traces": {**count, "description": "The function's traces by then."},
        "compiles": {**count, "description": "The function's compiles by then."},
    }
    function = {
        "name": {**text, "description": "Its name."},
        "qualname": {**text, "description": "Its qualified name."},
        "file": {**text, "description": "Where it is defined."},
        "line": {**count, "description": "And in which line."},
    }
    specializations = {"type": "array", "items": _ref("specialization")}
    return _schema(
        LEDGER_FORMAT,
        {
            "function": {**_object(function), "description": "The function."},
            "rows": {"type": "array", "items": _object(row), "description": "The rows, in order."},
            "specializations": {**specializations, "description": "The specializations that the rows name."},
        },
    )


def _schema(name: str, properties: Json) -> Json:
    """A schema over the definitions of the report's."""
    whole = report_schema()
    head = {
        key: {**whole["properties"][key], "const": value} for key, value in (("format", name), ("version", VERSION))
    }
    return {
        "$schema": whole["$schema"],
        "title": f"{name}, version {VERSION}",
        **_object({**head, **properties}),
        "$defs": whole["$defs"],
    }


def _object(properties: Json) -> Json:
    return {
        "type": "object",
        "required": list(properties),
        "additionalProperties": True,
        "properties": properties,
    }


def _ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}
