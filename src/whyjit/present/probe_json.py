"""An experiment as JSON: format `whyjit-probe`, version 1. Keys are only ever added.

`probe.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.present import schemas
from whyjit.present.failure_json import as_json
from whyjit.present.paths import relative

if TYPE_CHECKING:
    from whyjit.model.probe import ArmError, Probe, Result, Sizes

FORMAT = "whyjit-probe"
VERSION = 1


def probe_dict(probe: Probe, directory: str = "") -> dict[str, Any]:
    """The experiment; file names below `directory` are relative to it."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "function": probe.function,
        "file": relative(probe.file, directory),
        "line": probe.line,
        "kind": probe.kind,
        "made_static": list(probe.made_static),
        "call": [{"name": name, "value": text} for name, text in probe.call],
        "arms": [_arm(result, directory) for result in probe.results],
        "verdicts": [
            {"kind": one.kind, "path": one.path, "verdict": one.verdict, "why": one.why} for one in probe.verdicts
        ],
        "sizes": [_sizes(one) for one in probe.sizes],
        "left_out": list(probe.left_out),
        "seconds": probe.seconds,
    }


def _arm(result: Result, directory: str) -> dict[str, Any]:
    factor = result.factor
    return {
        "factor": {
            "kind": factor.kind,
            "path": factor.path,
            "old": factor.old,
            "new": factor.new,
            "guess": factor.guess,
        },
        "traced": bool(result.traced),
        "ran": result.traced is not None,
        "compiled": result.compiled,
        "delta": result.delta,
        "note": result.note,
        "equations": result.equations,
        "added": result.added,
        "removed": result.removed,
        "error": None if result.error is None else _error(result.error, directory),
        "seconds": result.seconds,
    }


def _error(error: ArmError, directory: str) -> dict[str, Any]:
    explained = None if error.failure is None else as_json(error.failure, directory)
    return {
        "error": error.error or None,
        "text": error.text,
        "file": relative(error.file, directory) or None,
        "line": error.line or None,
        "explained": explained,
    }


def _sizes(sizes: Sizes) -> dict[str, Any]:
    return {
        "path": sizes.path,
        "base": sizes.base,
        "tried": list(sizes.tried),
        "same": list(sizes.same),
        "different": list(sizes.different),
        "failed": [{"size": size, "text": text} for size, text in sizes.failed],
        "export": None if sizes.export is None else {"works": sizes.export == "", "reason": sizes.export or None},
        "note": sizes.note,
    }


def schema() -> dict[str, Any]:
    """The JSON schema of the format."""
    return schemas.load("probe")
