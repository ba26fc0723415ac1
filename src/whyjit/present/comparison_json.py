"""A comparison as JSON: format `whyjit-compare`, version 1. Keys are only ever added.

`compare.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.present import schemas
from whyjit.present.clean import encodable
from whyjit.present.failure_json import as_json
from whyjit.present.json import Work, encodable_all, totals_dict

if TYPE_CHECKING:
    from whyjit.model.comparison import Comparison, Counts, FindingShift, FunctionShift, Side
    from whyjit.model.finding import FunctionReport

FORMAT = "whyjit-compare"
VERSION = 1

Json = dict[str, Any]


def schema() -> Json:
    """The JSON Schema (draft 2020-12) of what `comparison_dict` returns."""
    return schemas.load("compare")


def comparison_dict(comparison: Comparison) -> Json:
    """The comparison as plain dicts, lists, text and numbers; each side's paths are relative to where it ran."""
    works = Work(comparison.before.environment.directory), Work(comparison.after.environment.directory)
    after = comparison.after.environment.directory
    return {
        "format": FORMAT,
        "version": VERSION,
        "before": _side(comparison.before, works[0]),
        "after": _side(comparison.after, works[1]),
        "differences": [
            {"what": what, "before": encodable(old), "after": encodable(new)}
            for what, old, new in comparison.differences
        ],
        "functions": [_function(shift, works) for shift in comparison.functions],
        "failures": [
            {"state": shift.state, "failure": encodable_all(as_json(shift.failure, after))}
            for shift in comparison.failures
        ],
    }


def _side(side: Side, work: Work) -> Json:
    return {
        "environment": work.environment(side.environment),
        "complete": side.complete,
        "gaps": side.gaps,
        "totals": totals_dict(side.totals),
        "processes": side.processes,
    }


def _function(shift: FunctionShift, works: tuple[Work, Work]) -> Json:
    about = shift.known.function
    return {
        "name": encodable(about.name),
        "qualname": encodable(about.qualname),
        "origin": about.origin,
        "state": shift.state,
        "matched_by": shift.match,
        "before": _half(shift.before, shift.counts_before, works[0]),
        "after": _half(shift.after, shift.counts_after, works[1]),
        "causes": [
            {
                "kind": cause.kind,
                "path": None if cause.path is None else encodable(cause.path),
                "state": cause.state,
                "before": _counts(cause.before),
                "after": _counts(cause.after),
            }
            for cause in shift.causes
        ],
        "findings": [_finding(each, works) for each in shift.findings],
    }


def _half(reports: tuple[FunctionReport, ...], counts: Counts, work: Work) -> Json | None:
    if not reports:
        return None
    places = [{"file": work.path(each.function.file), "line": each.function.line} for each in reports]
    return {"places": places, **_counts(counts)}


def _counts(counts: Counts) -> Json:
    return {
        "specializations": counts.specializations,
        "calls": counts.calls,
        "nested_calls": counts.nested_calls,
        "traces": counts.traces,
        "lowerings": counts.lowerings,
        "compiles": counts.compiles,
        "persistent_cache_hits": counts.persistent_cache_hits,
        "seconds": counts.seconds,
    }


def _finding(shift: FindingShift, works: tuple[Work, Work]) -> Json:
    sides = zip((shift.before, shift.after), works, strict=True)
    before, after = (None if one is None else work.finding(one) for one, work in sides)
    path = None if shift.path is None else encodable(shift.path)
    return {"code": shift.code, "path": path, "state": shift.state, "before": before, "after": after}
