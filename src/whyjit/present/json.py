"""The analysis as JSON: format `whyjit`, version 1. Keys are only ever added.

`report.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from whyjit.present import schemas
from whyjit.present.clean import encodable
from whyjit.present.failure_json import as_json
from whyjit.present.paths import relative
from whyjit.present.processes_json import processes_part

if TYPE_CHECKING:
    from whyjit.analyse.processes import Together
    from whyjit.model.failure import Failure
    from whyjit.model.finding import Cause, Explained, Finding, FunctionReport, Report, Totals
    from whyjit.model.recording import Environment, Specialization
    from whyjit.model.signature import Leaf, Signature, Static
    from whyjit.model.source import Location

FORMAT = "whyjit"
_STAGES = 1_000  # an entry that stands for very many specializations names no more of them; the counts are whole
VERSION = 1

Json = dict[str, Any]


def dumps(content: Json) -> str:
    """Content of any of the formats as JSON, a key on each line."""
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"


def schema() -> Json:
    """The JSON Schema (draft 2020-12) of what `report_dict` returns."""
    return schemas.load("report")


def report_dict(report: Report, together: Together | None = None) -> Json:
    """The report as plain dicts, lists, text and numbers; paths are relative to where the program ran when below it.

    `together` are all processes of the run, where there are several.
    """
    work = Work(report.environment.directory)
    return {
        "format": FORMAT,
        "version": VERSION,
        "environment": work.environment(report.environment),
        "complete": report.complete,
        "gaps": [{"what": encodable(gap.what), "reason": encodable(gap.reason)} for gap in report.gaps],
        "totals": totals_dict(report.totals),
        "functions": [work.function(function) for function in report.functions],
        "failures": [work.failure(failure) for failure in report.failures],
        **({} if together is None else {"processes": processes_part(together)}),
    }


def totals_dict(totals: Totals) -> Json:
    """The sums over all functions."""
    return {
        "calls": totals.calls,
        "traces": totals.traces,
        "lowerings": totals.lowerings,
        "compiles": totals.compiles,
        "persistent_cache_hits": totals.persistent_cache_hits,
        "trace_s": totals.trace_s,
        "lower_s": totals.lower_s,
        "compile_s": totals.compile_s,
        "unattributed_s": totals.unattributed_s,
        "seconds": totals.seconds,
    }


class Work:
    """Makes the parts; knows the folder that paths are relative to."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def path(self, file: str) -> str:
        """A file, relative to where the program ran."""
        return encodable(relative(file, self._directory))

    def place(self, location: Location | None) -> Json | None:
        """A location; None where it is not known."""
        if location is None or not location.file:
            return None
        place: Json = {"file": self.path(location.file), "line": location.line}
        if location.function:
            place["function"] = encodable(location.function)
        return place

    def environment(self, environment: Environment) -> Json:
        """The process."""
        return {
            "python": environment.python,
            "jax": environment.jax,
            "jaxlib": environment.jaxlib,
            "platform": environment.platform,
            "process_index": environment.process_index,
            "argv": [encodable(argument) for argument in environment.argv],
            "directory": encodable(environment.directory),
            "pid": environment.pid,
            "started": environment.started,
        }

    def function(self, function: FunctionReport) -> Json:
        """A function with its specializations and findings."""
        about = function.function
        return {
            "name": encodable(about.name),
            "qualname": encodable(about.qualname),
            "file": self.path(about.file),
            "line": about.line,
            "origin": about.origin,
            "kind": about.kind,
            "calls": function.calls,
            "nested_calls": function.nested_calls,
            "misses": function.misses,
            "traces": function.traces,
            "lowerings": function.lowerings,
            "compiles": function.compiles,
            "persistent_cache_hits": function.persistent_cache_hits,
            "trace_s": function.trace_s,
            "trace_own_s": function.trace_own_s,
            "lower_s": function.lower_s,
            "compile_s": function.compile_s,
            "specializations": self.specializations(function),
            "findings": [self.finding(finding) for finding in function.findings],
            **self._once(function),
        }

    def _once(self, function: FunctionReport) -> Json:
        """What the body does only while it is traced, where it does anything of the kind."""
        found = [
            {"kind": each.kind, "text": encodable(each.text), "location": self.place(each.location)}
            for each in function.function.once
        ]
        return {"runs_once": found} if found else {}

    def _trace(self, made: Specialization) -> Json:
        """What was staged inside its trace, and the Python loops that its program was made by."""
        bodies = [
            {
                "purpose": encodable(body.purpose),
                "name": encodable(body.name),
                "file": self.path(body.file),
                "line": body.line,
                "count": body.count,
                "seconds": body.seconds,
                "own_s": body.own,
                "parent": body.parent,
            }
            for body in made.bodies
        ]
        loops = [
            {
                "file": self.path(loop.file),
                "line": loop.line,
                "function": encodable(loop.function),
                "times": loop.times,
                "equations": loop.equations,
                "even": loop.even,
                "alike": loop.alike,
            }
            for loop in made.unrolled
        ]
        samples = [
            {"seconds": sample.seconds, "places": [self.place(place) for place in sample.places]}
            for sample in made.samples
        ]
        found: Json = {"bodies": bodies, "unrolled": loops, "samples": samples}
        if made.parent is not None:
            found["within"] = made.within
        return {name: value for name, value in found.items() if value != []}

    def specializations(self, function: FunctionReport) -> list[Json]:
        """All of them; of the context only what is not the same in all."""
        tables = [dict(each.specialization.signature.context) for each in function.specializations]
        first = tables[0] if tables else {}
        names = {
            name
            for table in tables
            if table != first
            for name in table.keys() | first
            if table.get(name) != first.get(name)
        }
        made = [self.explained(explained) for explained in function.specializations]
        for one, table in zip(made, tables, strict=True):
            if names:
                one["context"] = {encodable(name): encodable(table[name]) for name in sorted(names & table.keys())}
        return made

    def explained(self, explained: Explained) -> Json:
        """A specialization with its cause."""
        made = explained.specialization
        return {
            "number": made.number,
            "calls": made.calls,
            "nested_calls": made.nested_calls,
            "misses": made.misses,
            "stages": [stage.kind for stage in made.stages[:_STAGES]],
            "compared_with": explained.compared_with,
            "call_site": self.place(made.call_site),
            "arguments": _arguments(made.signature),
            "call_form": {encodable(name): how for name, how in made.signature.form.parameters},
            "cause": _cause(explained.cause),
            "program": _program(explained),
            **_seconds(made),
            **_further(made),
            **self._trace(made),
        }

    def finding(self, finding: Finding) -> Json:
        """A finding."""
        made: Json = {
            "code": finding.code,
            "path": None if finding.path is None else encodable(finding.path),
            "text": encodable(finding.text),
            "remedy": encodable(finding.remedy),
            "evidence": finding.evidence,
            "saves_s": finding.saves_s,
        }
        if finding.location is not None:
            made["location"] = self.place(finding.location)
        if finding.ignore:
            made["ignore"] = encodable(finding.ignore)
        return made

    def failure(self, failure: Failure) -> Json:
        """An error of tracing."""
        made: Json = encodable_all(as_json(failure, self._directory))
        return made


def encodable_all(value: Any) -> Any:
    """The value with all text in it made fit to be stored."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {key: encodable_all(each) for key, each in cast("Json", value).items()}
    if isinstance(value, list | tuple):
        return [encodable_all(each) for each in cast("list[Any]", value)]
    return value


def _arguments(signature: Signature) -> list[Json]:
    return [*map(_leaf, signature.leaves), *map(_static, signature.statics)]


def _leaf(leaf: Leaf) -> Json:
    made: Json = {
        "path": encodable(leaf.path),
        "role": "array",
        "shape": list(leaf.shape),
        "dtype": leaf.dtype,
        "weak_type": leaf.weak_type,
        "sharding": encodable(leaf.sharding) or None,
        "committed": leaf.committed,
        "holder": leaf.holder,
    }
    for name in ("memory", "layout", "mesh"):
        if text := getattr(leaf, name):
            made[name] = encodable(text)
    return made


def _static(static: Static) -> Json:
    made: Json = {
        "path": encodable(static.path),
        "role": "static",
        "value": encodable(static.text),
        "type": encodable(static.type),
    }
    if static.note:
        made["note"] = encodable(static.note)
    if static.identity:
        made["identity"] = encodable(static.identity)
    return made


def _cause(cause: Cause) -> Json:
    changes: list[Json] = [
        {
            "kind": change.kind,
            "path": None if change.path is None else encodable(change.path),
            "old": encodable(change.old),
            "new": encodable(change.new),
            "note": encodable(change.note),
        }
        for change in cause.changes
    ]
    return {"kind": cause.kind, "changes": changes, "text": encodable(cause.text)}


def _program(explained: Explained) -> Json:
    fingerprint = explained.specialization.fingerprint
    return {
        "delta": explained.delta,
        "fingerprint": fingerprint.whole if fingerprint else None,
        "equations": fingerprint.equations if fingerprint else None,
        "note": encodable(explained.delta_note),
    }


def _seconds(made: Specialization) -> Json:
    sums = {"trace": 0.0, "lower": 0.0, "compile": 0.0, "cache_load": 0.0}
    own = 0.0
    for stage in made.stages:
        sums[stage.kind] += stage.seconds
        own += stage.own if stage.kind == "trace" else 0.0
    return {
        "trace_s": sums["trace"],
        "trace_own_s": own,
        "lower_s": sums["lower"],
        "compile_s": sums["compile"],
        **({"cache_load_s": sums["cache_load"]} if sums["cache_load"] else {}),
    }


def _further(made: Specialization) -> Json:
    """What only some specializations have."""
    signature = made.signature
    found: Json = {
        "operation": encodable(made.operation),
        "options": {encodable(name): encodable(text) for name, text in signature.options},
        "transforms": list(signature.transforms),
        "captures": [{"name": encodable(each.name), "value": encodable(each.text)} for each in made.captures],
        "parent": None if made.parent is None else list(made.parent),
        "error": encodable(made.error),
        "slow_path": encodable(made.slow_path),
        "notes": [encodable(note) for note in made.notes],
        "earlier": made.earlier,
    }
    return {name: value for name, value in found.items() if value}
