"""Findings and errors as SARIF 2.1.0, for code scanning: each at its line, with its page as the rule's help.

The format is an OASIS standard: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from whyjit.analyse.pages import page
from whyjit.present.clean import clean, encodable
from whyjit.present.paths import relative

if TYPE_CHECKING:
    from whyjit.model.failure import Failure
    from whyjit.model.finding import Finding, FunctionReport, Report

Json = dict[str, Any]
PageOf = Callable[[str], str | None]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_LINK = re.compile(r"\[([^\[\]]*)\]\(")
_QUOTES = re.compile(r"`([^`\n]*)`")


def render(report: Report, *, page_of: PageOf | None = None, version: str = "") -> str:
    """The findings and errors of a report as a SARIF log, with a rule for each code that occurs.

    `page_of` gives the page of a code as Markdown; `version` is whyjit's.
    """
    results = [*_failures(report), *_findings(report)]
    codes = list(dict.fromkeys(result.code for result in results))
    driver: Json = {
        "name": "whyjit",
        "rules": [_rule(code, page_of) for code in codes],
        **({"version": version} if version else {}),
    }
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [result.made(codes.index(result.code)) for result in results],
    }
    directory = report.environment.directory
    if directory:
        run["originalUriBaseIds"] = {_ROOT: {"uri": _uri(directory).rstrip("/") + "/"}}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


class _Result(NamedTuple):
    """One result. `place` is its physical location, `where` names the function, `subject` tells it from its like."""

    code: str
    level: str
    text: str
    place: Json | None
    where: str
    subject: tuple[str, ...]
    properties: Json

    def made(self, index: int) -> Json:
        """The result as SARIF has it; `index` is its rule's place."""
        made: Json = {
            "ruleId": self.code,
            "ruleIndex": index,
            "level": self.level,
            "message": {"text": _plain(self.text)},
            "partialFingerprints": {"whyjit/v1": _digest(self.code, *self.subject)},
            "properties": self.properties,
        }
        location: Json = {}
        if self.place is not None:
            location["physicalLocation"] = self.place
        if self.where:
            location["logicalLocations"] = [{"fullyQualifiedName": encodable(self.where), "kind": "function"}]
        if location:
            made["locations"] = [location]
        return made


def _findings(report: Report) -> Iterator[_Result]:
    directory = report.environment.directory
    for function in report.functions:
        for finding in function.findings:
            file, line = _finding_place(finding, function)
            yield _Result(
                finding.code,
                "error" if finding.wrong else "warning",
                f"{finding.text}. {_sentence(finding.remedy)}" if finding.remedy else finding.text,
                _physical(file, directory, {"startLine": line}),
                function.function.qualname,
                (relative(file, directory), function.function.qualname, finding.path or ""),
                {"evidence": finding.evidence, "saves_s": finding.saves_s},
            )


def _finding_place(finding: Finding, function: FunctionReport) -> tuple[str, int]:
    """The line that a finding names, else the function's own."""
    if finding.location is not None and finding.location.file:
        return finding.location.file, finding.location.line
    return function.function.file, function.function.line


def _failures(report: Report) -> Iterator[_Result]:
    directory = report.environment.directory
    for failure in report.failures:
        remedies = [f"{remedy.name}: {remedy.text}" for remedy in failure.remedies[:1]]
        yield _Result(
            failure.code,
            "error",
            f"{failure.error}: {failure.text}" + "".join(f" Try {remedy}" for remedy in remedies),
            _physical(failure.file, directory, _region(failure)),
            failure.function,
            (relative(failure.file, directory), failure.function, failure.expression),
            {"error": encodable(failure.error)},
        )


def _region(failure: Failure) -> Json:
    """The failing expression: SARIF counts columns from 1, and ends behind the last."""
    region: Json = {"startLine": failure.line}
    if failure.columns is not None:
        start, end = failure.columns
        several = failure.end_line > failure.line
        region["startColumn"] = start + 1
        region["endLine"] = failure.end_line if several else failure.line
        region["endColumn"] = (failure.end_column if several else end) + 1
    return region


def _physical(file: str, directory: str, region: Json) -> Json | None:
    if not file:
        return None
    below = relative(file, directory)
    artifact: Json = {"uri": _uri(below)}
    if not PurePath(below).is_absolute():
        artifact["uriBaseId"] = _ROOT
    return {"artifactLocation": artifact, **({"region": region} if region["startLine"] > 0 else {})}


def _uri(path: str) -> str:
    """A path as a URI reference."""
    pure = PurePath(path)
    text = quote(encodable(pure.as_posix()), safe="/:@!$&'()*+,;=-._~")
    if pure.is_absolute():
        return f"file:///{text.lstrip('/')}"
    return f"./{text}" if ":" in text.split("/")[0] else text


def _rule(code: str, page_of: PageOf | None) -> Json:
    known = page(code)
    markdown = page_of(code) if page_of else None
    name = "".join(part.capitalize() for part in re.split(r"[-_]", code))
    made: Json = {"id": code, "name": name}
    if known is not None:
        made["shortDescription"] = {"text": _plain(known.title)}
        made["fullDescription"] = {"text": _plain(known.what)}
        text = f"{known.what}\n\n{known.why}\n\nWhat to do: {known.todo}\n\nWhen to leave it: {known.ignore}"
        made["help"] = {"text": text.replace("`", ""), **({"markdown": markdown} if markdown else {})}
    return made


def _invocation(report: Report) -> Json:
    """The run that was recorded: its command, and what could not be observed."""
    environment = report.environment
    made: Json = {"executionSuccessful": report.complete}
    if environment.argv:
        made["arguments"] = [encodable(argument) for argument in environment.argv]
    if report.gaps:
        made["toolExecutionNotifications"] = [
            {"level": "note", "message": {"text": _plain(f"not observed: {gap.what}: {gap.reason}")}}
            for gap in report.gaps
        ]
    return made


def _plain(text: str) -> str:
    """Text of a message, in which braces and what looks like a link have a meaning of their own."""
    unquoted = _QUOTES.sub(r"'\1'", clean(text))
    return _LINK.sub(r"\\[\1\\](", unquoted).replace("{", "{{").replace("}", "}}")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(map(encodable, parts)).encode()).hexdigest()[:32]
