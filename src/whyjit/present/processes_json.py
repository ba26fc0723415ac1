"""What `whyjit processes --format json` prints: format `whyjit-processes`, version 1. Keys are only ever added.

`processes.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.analyse.findings import process_divergence
from whyjit.present import paths, schemas

if TYPE_CHECKING:
    from whyjit.analyse.processes import Divergence, ProcessRow, Staged, Together


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `processes_dict` returns."""
    return schemas.load("processes")


def processes_dict(together: Together) -> dict[str, Any]:
    """The processes as plain data. Seconds are floats."""
    divergence = together.divergence
    return {
        "format": "whyjit-processes",
        "version": 1,
        "processes": [_row(row) for row in together.rows],
        "divergence": None if divergence is None else _divergence(divergence),
    }


def processes_part(together: Together) -> dict[str, Any]:
    """What the report of one process says of all: how many there are, their sums, each of them, where they part."""
    rows = [_row(row) for row in together.rows]
    summed = ("calls", "traces", "lowerings", "compiles", "persistent_cache_hits", "lost_s")
    return {
        "count": together.count,
        "unread": together.unread,
        "sums": {key: sum(row[key] for row in rows) for key in summed},
        "each": rows,
        "divergence": None if together.divergence is None else _divergence(together.divergence),
    }


def _row(row: ProcessRow) -> dict[str, Any]:
    environment = row.environment
    analysed = {} if row.findings is None else {"findings": row.findings, "needless_s": row.needless_s}
    return {
        "process_index": environment.process_index,
        "pid": environment.pid,
        "started": environment.started,
        "argv": list(environment.argv),
        "complete": row.complete,
        "calls": row.calls,
        "traces": row.traces,
        "lowerings": row.lowerings,
        "compiles": row.compiles,
        "persistent_cache_hits": row.persistent_cache_hits,
        "lost_s": row.lost_s,
        "seconds": row.seconds,
        **analysed,
    }


def _divergence(divergence: Divergence) -> dict[str, Any]:
    finding = process_divergence.find(divergence)
    return {
        "code": finding.code,
        "text": finding.text,
        "remedy": finding.remedy,
        "at": divergence.at,
        "across_processes": divergence.across,
        "first": _staged(divergence.first, divergence.first_process),
        "other": _staged(divergence.other, divergence.other_process),
        "differing_processes": list(divergence.others),
        "changes": [
            {"kind": change.kind, "path": change.path, "first": change.old, "other": change.new}
            for change in divergence.changes
        ],
    }


def _staged(staged: Staged | None, process: int) -> dict[str, Any]:
    if staged is None:
        return {"process_index": process, "function": None, "specialization": None, "call_site": None}
    spec = staged.specialization
    site = spec.call_site
    return {
        "process_index": process,
        "function": staged.function.qualname,
        "specialization": spec.number,
        "call_site": {"file": paths.short(site.file, ""), "line": site.line} if site.file else None,
    }
