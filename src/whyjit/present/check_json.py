"""The outcome of `whyjit check` as JSON, and as annotations of a workflow on GitHub.

`check.schema.json` beside this module is the schema of the JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.present import schemas
from whyjit.present.clean import encodable
from whyjit.present.paths import relative

if TYPE_CHECKING:
    from whyjit.model.budget import Breach, Verdict
    from whyjit.model.source import Location


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `verdict_dict` returns."""
    return schemas.load("check")


def verdict_dict(
    verdict: Verdict, *, against: str, directory: str, processes: int = 1, counted: str = "together"
) -> dict[str, Any]:
    """The verdict as plain dicts and lists; `directory` is where the program ran.

    `processes` is how many the run has, `counted` how they were: "together", "each" by itself, or the "first" alone.
    """
    return {
        "format": "whyjit-check",
        "version": 1,
        "against": encodable(against),
        "kept": verdict.kept,
        "checked": verdict.checked,
        "breaches": [_breach(breach, directory) for breach in verdict.breaches],
        "unjudged": [encodable(text) for text in verdict.unjudged],
        "notes": [encodable(text) for text in verdict.notes],
        "processes": processes,
        "counted": counted,
    }


def _breach(breach: Breach, directory: str) -> dict[str, Any]:
    return {
        "limit": breach.limit,
        "where": encodable(breach.where),
        "function": encodable(breach.function),
        "allowed": breach.allowed,
        "found": breach.found,
        "specialization": breach.number,
        "call_site": _place(breach.call_site, directory),
        "cause": encodable(breach.cause),
        "remedy": encodable(breach.remedy),
        "text": encodable(breach.text),
        "process": breach.process or None,
    }


def _place(site: Location | None, directory: str) -> dict[str, Any] | None:
    if site is None or not site.file:
        return None
    return {"file": encodable(relative(site.file, directory)), "line": site.line}


def workflow_commands(verdict: Verdict, *, directory: str) -> str:
    """A line for each breach, which GitHub shows beside the line of source that it names.

    `directory` is the root of the checkout: GitHub wants paths from there.
    """
    lines: list[str] = []
    for breach in verdict.breaches:
        site = breach.call_site or breach.function_site
        title = f"title={_property(f'whyjit: {breach.limit}')}"
        where = f"file={_property(relative(site.file, directory))},line={max(1, site.line)}," if site else ""
        text = f"{breach.text}; what to do: {breach.remedy}" if breach.remedy else breach.text
        lines.append(f"::error {where}{title}::{_data(text)}")
    lines += [f"::warning title=whyjit::{_data(text)}" for text in verdict.unjudged]
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    """What follows `::`, as the workflow's commands take it."""
    return encodable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
